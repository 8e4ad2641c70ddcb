/** The facts in the commit subject of a restored revision. */
export interface RestoreSubject {
  /** `Restore` returns to the state in that revision; `Undo` reverts its changes. */
  readonly verb: 'Restore' | 'Undo'
  /** The part that is restored, such as `pipeline shop`; null for all of it. */
  readonly what: string | null
  /** The number of that revision. */
  readonly number: number
}

/** `Restore pipeline shop of r11 by erin` */
export function restoreSubject({
  verb,
  what,
  number,
  username,
}: RestoreSubject & { readonly username: string }): string {
  const part = what === null ? '' : `${what} of `
  return `${verb} ${part}r${number} by ${username}`
}

/** Parses a subject made by {@link restoreSubject}; null for any other. */
export function parseRestoreSubject(subject: string): RestoreSubject | null {
  const [, verb, what = null, number] =
    /^(Restore|Undo) (?:(\w+ .+?) of )?r([1-9]\d{0,8}) by /.exec(subject) ?? []
  if (verb !== 'Restore' && verb !== 'Undo') return null
  return { verb, what, number: Number(number) }
}
