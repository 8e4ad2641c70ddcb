export interface LineFeeds {
  readonly count: number
  /** The offset of the last one; negative where there is none. */
  readonly last: number
}

export function lineFeedsIn(text: string): LineFeeds {
  let count = 0
  let last = -1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    count += 1
    last = at
  }
  return { count, last }
}
