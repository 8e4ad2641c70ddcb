import type { Span } from '../xml/xml-tree.ts'

/** The long lists of a document. */
export type ListName = 'pipelines' | 'templates' | 'agents'

export interface MemberPlace extends Span {
  readonly list: ListName
}

const MEMBER = { pipelines: 'pipeline', templates: 'pipeline', agents: 'agent' } as const

const SPACE_OR_END = /[ \t\r\n/>]/g
const [BANG, QUESTION, SLASH, GREATER] = [0x21, 0x3f, 0x2f, 0x3e]
const [DOUBLE, SINGLE] = [0x22, 0x27]

/**
 * Guesses the places of the members of the long lists by a quick scan of the tags, from the start of a
 * document or behind a member of one of its lists. The caller has to verify them: what is found in malformed text is
 * undefined. Returns false where tags are left open.
 */
export function* findMembers(
  text: string,
  behind: ListName | null,
): Generator<MemberPlace, boolean> {
  let list = behind
  let depth = behind === null ? 0 : 2
  let start = -1
  let end = 0
  for (let at = text.indexOf('<', end); at >= 0; at = text.indexOf('<', end)) {
    const mark = text.charCodeAt(at + 1)
    end = endOfMarkup(text, at, mark)
    if (end < 0) return false
    if (mark === BANG || mark === QUESTION) continue
    if (mark !== SLASH) {
      if (depth === 1) list = listNamed(nameAt(text, at))
      if (depth === 2 && list && nameAt(text, at) === MEMBER[list]) start = at
      depth += 1
    }
    if (mark === SLASH || text.charCodeAt(end - 2) === SLASH) {
      depth -= 1
      if (depth === 2 && start >= 0 && list) {
        yield { list, start, end }
        start = -1
      }
    }
  }
  return depth === 0
}

/** The list of that name, when it is one whose members have the other name. */
export function listOf(name: string, member: string): ListName | null {
  const list = listNamed(name)
  return list && MEMBER[list] === member ? list : null
}

/** The attribute that names a member of each list. */
export const NAMED_BY = { pipelines: 'name', templates: 'name', agents: 'uuid' } as const

/** The empty element that stands for a member. */
export function placeholderIn(list: ListName): string {
  return `<${MEMBER[list]}/>`
}

function listNamed(name: string): ListName | null {
  return name === 'pipelines' || name === 'templates' || name === 'agents' ? name : null
}

function nameAt(text: string, at: number): string {
  SPACE_OR_END.lastIndex = at + 1
  return text.slice(at + 1, SPACE_OR_END.exec(text)?.index)
}

/** Just after a tag, comment, section or instruction; negative where it never ends. */
function endOfMarkup(text: string, at: number, mark: number): number {
  if (mark === QUESTION) return after(text, '?>', at)
  if (mark !== BANG) return endOfTag(text, at)
  if (text.startsWith('<!--', at)) return after(text, '-->', at + '<!--'.length)
  return text.startsWith('<![CDATA[', at) ? after(text, ']]>', at) : -1
}

function after(text: string, ending: string, from: number): number {
  const found = text.indexOf(ending, from)
  return found < 0 ? -1 : found + ending.length
}

function endOfTag(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === GREATER) return at + 1
    if (code === DOUBLE || code === SINGLE) {
      at = text.indexOf(code === DOUBLE ? '"' : "'", at + 1)
      if (at < 0) return -1
    }
  }
  return -1
}
