/**
 * The limit of the address to return to after a log-in, in bytes: it has to fit into a cookie, and
 * into an address.
 */
const MAX_NEXT_BYTES = 1_500

/**
 * An address to which a log-in leads, without its query where that makes it too long; empty where it is
 * too long without, which leads to the start page.
 */
export function shortNext(next: string): string {
  const [path = ''] = next.split('?')
  return [next, path].find((each) => Buffer.byteLength(each) <= MAX_NEXT_BYTES) ?? ''
}
