import type { Span } from '../xml/xml-tree.ts'
import { addressSecrets } from './user-info.ts'

/** An attribute whose name says that it holds a secret; the value may go on in the next line. */
const ATTRIBUTE = /(?:password|secret|token|agentAutoRegisterKey)\s*=\s*(?:"([^"]*)|'([^']*))/dgi
const SEALED = /(AES:[\w+/=-]+:[\w+/=-]+)/dg
/** The elements that hold a secret or say that another one does. */
const HOLDER = /<(variable|property|key|value|encryptedValue)(?=[\s>])/g
const IS_SECURE = /\bsecure\s*=\s*["']\s*(?:true|1)\s*["']/
/** A tag is not longer; what looks like a longer one is none. */
const MAX_TAG_LENGTH = 4_000
const CDATA = '<![CDATA['
const CDATA_END = ']]>'

/** The spans of the secrets of a text, sealed or not, in order; they never touch. */
export function findSecrets(text: string): Span[] {
  const found = [
    ...Array.from(text.matchAll(ATTRIBUTE), firstGroup),
    ...securedValues(text),
    ...Array.from(text.matchAll(SEALED), firstGroup),
    ...addressSecrets(text),
  ]
  const spans: Span[] = []
  for (const span of found.toSorted((one, other) => one.start - other.start)) {
    const last = spans.at(-1)
    if (span.end > span.start && (!last || span.start >= last.end)) spans.push(span)
  }
  return spans
}

function firstGroup({ indices }: RegExpExecArray): Span {
  const [start = 0, end = 0] = indices?.slice(1).find((group) => group !== undefined) ?? []
  return { start, end }
}

/** The text of every encrypted value, and of the values of what is marked as secure. */
function securedValues(text: string): Span[] {
  const found: Span[] = []
  const holder = new RegExp(HOLDER)
  let isSecure = false
  for (let match = holder.exec(text); match; match = holder.exec(text)) {
    const [{ length }, name] = match
    const start = match.index + length
    const end = tagEnd(text, start)
    const tag = text.slice(start, end)
    if (name === 'variable' || name === 'property') isSecure = IS_SECURE.test(tag)
    else if (name === 'key') isSecure ||= IS_SECURE.test(tag)
    const isHidden =
      name === 'encryptedValue' || (isSecure && name !== 'property' && name !== 'key')
    const runs = isHidden && !tag.endsWith('/') ? textRuns(text, end + 1) : null
    for (const span of runs?.spans ?? []) found.push(span)
    holder.lastIndex = Math.max(end, runs?.end ?? 0)
  }
  return found
}

/** The end of a tag, ignoring quoted text; where the search stopped when there is none. */
function tagEnd(text: string, start: number): number {
  const last = Math.min(text.length, start + MAX_TAG_LENGTH)
  let quote = ''
  for (let at = start; at < last; at += 1) {
    const character = text.charAt(at)
    if (character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) quote = character
    else if (quote === '' && (character === '>' || character === '<')) return at
  }
  return last
}

/** The text up to the next tag, with that of CDATA sections, blank pieces left out. */
function textRuns(
  text: string,
  from: number,
): { readonly spans: readonly Span[]; readonly end: number } {
  const spans: Span[] = []
  let start = from
  for (;;) {
    const less = indexOr(text.length, text.indexOf('<', start))
    spans.push({ start, end: less })
    if (!text.startsWith(CDATA, less)) {
      return {
        spans: spans.filter((span) => /\S/.test(text.slice(span.start, span.end))),
        end: less,
      }
    }
    const inner = less + CDATA.length
    const end = indexOr(text.length, text.indexOf(CDATA_END, inner))
    spans.push({ start: inner, end })
    start = Math.min(text.length, end + CDATA_END.length)
  }
}

function indexOr(otherwise: number, index: number): number {
  return index < 0 ? otherwise : index
}
