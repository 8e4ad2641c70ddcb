import type { SourceModification } from './modification.ts'

const ITEM = /^\s+[a-z][a-z, ]* (\$\/.*)$/

/** Parses the output of `tf history -format:detailed`. */
export function parseHistory(text: string): SourceModification[] {
  return text
    .split(/^(?=Changeset\s*:)/m)
    .filter((part) => /^Changeset\s*:\s*\d/.test(part))
    .map(modificationOf)
}

function modificationOf(text: string): SourceModification {
  const lines = text.split(/\r?\n/)
  return {
    revision: valueOf(lines, 'Changeset'),
    username: valueOf(lines, 'User'),
    time: Date.parse(valueOf(lines, 'Date')) || 0,
    comment: sectionOf(lines, 'Comment').join('\n').trim(),
    files: sectionOf(lines, 'Items').flatMap((line) => ITEM.exec(line)?.[1] ?? []),
  }
}

function valueOf(lines: readonly string[], name: string): string {
  const line = lines.find((each) => each.startsWith(`${name}:`) || each.startsWith(`${name} `))
  return line?.slice(line.indexOf(':') + 1).trim() ?? ''
}

/** The indented lines below a heading. */
function sectionOf(lines: readonly string[], name: string): string[] {
  const start = lines.findIndex((line) => line.trimEnd() === `${name}:`)
  if (start < 0) return []
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => /^\S/.test(line))
  return end < 0 ? rest : rest.slice(0, end)
}
