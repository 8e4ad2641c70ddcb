/** Part of a file: from the first byte to before the last. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/**
 * The part that a `Range` header asks for. Null for the whole: also where several parts are asked
 * for, or another unit.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return null
  if (first === '') return within(size - Math.min(Number(last), size), size, size)
  if (last !== '' && Number(last) < Number(first)) return null
  return within(Number(first), last === '' ? size : Math.min(Number(last) + 1, size), size)
}

function within(from: number, to: number, size: number): ByteRange | 'unsatisfiable' {
  return from < to && from < size ? { from, to } : 'unsatisfiable'
}
