const MAX_LENGTH = 40

/** The known name that a mistyped one was most likely meant to be, or null where none is near. */
export function nearestName(typed: string, known: Iterable<string>): string | null {
  if (typed.length > MAX_LENGTH) return null
  let nearest: string | null = null
  let least = Math.max(1, Math.floor(typed.length / 2))
  for (const name of known) {
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase())
    if (distance > least || (distance === least && nearest !== null)) continue
    nearest = name
    least = distance
  }
  return nearest
}

/** The hint behind an unknown name. */
export function hint(typed: string, known: Iterable<string>): string {
  const names = [...known]
  const nearest = nearestName(typed, names)
  if (nearest !== null) return `; did you mean "${nearest}"?`
  return names.length === 0 ? '' : `; known here: ${names.join(', ')}`
}

/** Counts insertions, deletions, replacements and exchanges of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1
      const exchanged = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + same,
        exchanged ? (before[column - 2] ?? 0) + 1 : Infinity,
      )
    }
    before = last
    last = current
  }
  return last[b.length] ?? 0
}
