export interface LineFeeds {
  readonly count: number
  /** The offset of the last one; negative where there is none. */
  readonly last: number
}

/** The line feeds in a part of a text. */
export function lineFeedsIn(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): LineFeeds {
  let count = 0
  let last = -1
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) {
    count += 1
    last = at
  }
  return { count, last }
}
