import type { SourceModification } from './modification.ts'

const HEAD = /^Change (\d+) by (\S+)@\S+ on (\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)/
const FILE = /^\.\.\. (\/\/.+)#\d+ \S+/

/** Parses the output of `p4 describe -s` for several changes. */
export function parseDescriptions(text: string): SourceModification[] {
  return text
    .split(/^(?=Change \d+ by )/m)
    .filter((part) => HEAD.test(part))
    .map(modificationOf)
}

function modificationOf(text: string): SourceModification {
  const [, revision = '', username = '', ...date] = HEAD.exec(text) ?? []
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = date.map(Number)
  const lines = text.split('\n')
  const files = lines.flatMap((line) => FILE.exec(line)?.[1] ?? [])
  const comment = lines.filter((line) => line.startsWith('\t')).map((line) => line.slice(1))
  const time = new Date(year, month - 1, day, hour, minute, second).getTime()
  return { revision, username, time, comment: comment.join('\n').trim(), files }
}
