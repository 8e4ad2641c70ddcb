const LONGEST = 80

/** A piece of a document as a message may repeat it: on one line and of bounded length. */
export function shorten(text: string): string {
  const head = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  return head.replace(/[\r\n\t]+/g, ' ')
}
