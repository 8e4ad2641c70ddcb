/** The end of a tag that a proxy has given to an answer which it has compressed. */
const CODED = /(?:--?|[;+])(?:gzip|br|deflate|zstd)(?="?$)/i

/** A tag as this service has given it: strong, and of the bytes before any proxy compressed them. */
export function plainTag(tag: string): string {
  return tag.trim().replace(/^W\//, '').replace(CODED, '')
}
