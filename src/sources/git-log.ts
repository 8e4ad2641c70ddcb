import type { SourceModification } from './modification.ts'

const SECOND = 1_000

/**
 * Reads `git log -z --name-only` with the format NUL, hash, NUL, author, NUL, time, NUL, message.
 * Neither names nor messages contain NUL and no name is empty, so that nothing in them is misread.
 */
export function parseGitLog(text: string): SourceModification[] {
  const tokens = text.split('\0')
  const modifications: SourceModification[] = []
  let at = 0
  for (;;) {
    while (tokens[at] === '') at += 1
    const [revision, username, time, comment] = tokens.slice(at, at + 4)
    if (revision === undefined || comment === undefined) return modifications
    const end = tokens.indexOf('', at + 4)
    const names = tokens.slice(at + 4, end < 0 ? tokens.length : end)
    modifications.push({
      revision,
      username: username ?? '',
      time: Number(time) * SECOND,
      comment: comment.trim(),
      // The line feed separates the names from the message.
      files: names.map((name, n) => (n === 0 ? name.replace(/^\n/, '') : name)),
    })
    at += 4 + names.length
  }
}
