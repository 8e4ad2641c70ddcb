/** The comparison in words: one revision alone with the current one, or with the one before it. */
export function chosenText({ a, b }: { readonly a: number | null; readonly b: number | null }) {
  if (a === null) return b === null ? '' : `Changes of r${b}`
  return b === null ? `r${a} → current` : `r${a} → r${b}`
}
