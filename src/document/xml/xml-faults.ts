import { shorten } from '../text/shown-text.ts'

/** The state of the parser at a fault. Offsets are into the whole text. */
export interface FaultContext {
  readonly text: string
  /** The end of the last whole token: everything before it is understood. */
  readonly cursor: number
  /** Just after the last character that was read. */
  readonly position: number
  /** The innermost element that is open, or whose opening tag is being read. */
  readonly open: { readonly name: string; readonly start: number; readonly inTag: boolean } | null
}

export interface Fault {
  readonly message: string
  readonly offset: number
  /** Whether the parser can continue and still find real faults only. */
  readonly local: boolean
}

type Place = 'here' | 'token' | 'reference'

interface Wording {
  readonly message: string
  readonly at: Place
  readonly local?: boolean
}

const WORDS = new Map<string, Wording>([
  [
    'disallowed character in tag name',
    { message: 'unexpected "<"; write &lt; for a literal character', at: 'here' },
  ],
  [
    'disallowed character in tag name.',
    { message: 'a tag has a character that is not allowed in a name', at: 'here' },
  ],
  [
    'disallowed character in attribute name.',
    { message: 'an attribute name has a character that is not allowed', at: 'here' },
  ],
  [
    'disallowed character in closing tag.',
    { message: 'a closing tag has a character that is not allowed', at: 'here' },
  ],
  ['attribute without value.', { message: 'an attribute has no value', at: 'here' }],
  ['unquoted attribute value.', { message: 'an attribute value is not quoted', at: 'here' }],
  [
    'no whitespace between attributes.',
    { message: 'two attributes have no space between them', at: 'here' },
  ],
  [
    'forward-slash in opening tag not followed by >.',
    { message: 'a "/" in a tag is not followed by ">"', at: 'here' },
  ],
  ['weird empty close tag.', { message: 'a closing tag has no name', at: 'token' }],
  ['incorrect syntax.', { message: 'the markup after "<!" is not known', at: 'token' }],
  ['malformed comment.', { message: 'a comment has "--" within it', at: 'here' }],
  [
    'text data outside of root node.',
    { message: 'there is text outside of the root element', at: 'token' },
  ],
  [
    'documents may contain only one root.',
    { message: 'the document has a second root element', at: 'token' },
  ],
  [
    'inappropriately located doctype declaration.',
    { message: 'a DOCTYPE is not accepted', at: 'token' },
  ],
  [
    'an XML declaration must be at the start of the document.',
    { message: 'the XML declaration is not at the very start', at: 'token' },
  ],
  [
    'the XML declaration must appear at the start of the document.',
    { message: 'a processing instruction is named like the XML declaration', at: 'token' },
  ],
  [
    'disallowed character in entity name.',
    {
      message: 'unexpected "&"; write &amp; for a literal character',
      at: 'reference',
    },
  ],
  [
    'empty entity name.',
    {
      message: 'unexpected "&"; write &amp; for a literal character',
      at: 'reference',
    },
  ],
  [
    'undefined entity.',
    {
      message: 'the entity is not known; there are only &amp; &lt; &gt; &quot; &apos;',
      at: 'reference',
      local: true,
    },
  ],
  [
    'malformed character entity.',
    {
      message: 'the reference does not name a character that XML allows',
      at: 'reference',
      local: true,
    },
  ],
  [
    'disallowed character.',
    { message: 'the character is not allowed in XML', at: 'here', local: true },
  ],
  [
    'the string "]]>" is disallowed in char data.',
    { message: '"]]>" is not allowed in text; write ]]&gt;', at: 'here', local: true },
  ],
])

const MALFORMED_DECLARATION =
  'the XML declaration is malformed; it is written <?xml version="1.0" encoding="utf-8"?>'

/** Describes a fault for operators, with the place where it began. */
export function faultOf(reported: string, context: FaultContext): Fault {
  if (/^(unclosed tag: |unexpected end|document must contain)/.test(reported)) {
    return faultAtEnd(context)
  }
  if (reported.startsWith('unmatched closing tag: ')) {
    return fatal('a closing tag closes nothing', tokenStart(context))
  }
  if (reported === 'disallowed character.' && context.text[context.position - 1] === '<') {
    return fatal(
      'an attribute value has "<", or its closing quote is missing',
      context.position - 1,
    )
  }
  const words = WORDS.get(reported)
  if (!words) return fatal(unworded(reported, context), context.position - 1)
  return { message: words.message, offset: place(words.at, context), local: words.local ?? false }
}

/** The many faults of a declaration share one message; others use the parser's. */
function unworded(reported: string, context: FaultContext): string {
  const inDeclaration = context.text.startsWith('<?xml', tokenStart(context))
  return inDeclaration ? MALFORMED_DECLARATION : reported.replace(/\.$/, '')
}

export function fatal(message: string, offset: number): Fault {
  return { message, offset, local: false }
}

/** The first character after the last whole token that is not white space. */
export function tokenStart({ text, cursor }: Pick<FaultContext, 'text' | 'cursor'>): number {
  let at = cursor
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d
}

function place(at: Place, context: FaultContext): number {
  if (at === 'token') return tokenStart(context)
  if (at === 'here') return context.position - 1
  return badReference(context) ?? context.text.lastIndexOf('&', context.position - 1)
}

const BARE_AMPERSAND = /&(?!(?:#[0-9]+|#x[0-9a-fA-F]+|[\p{L}_:][\p{L}\p{M}\p{N}_:.·-]*);)/u

function badReference({ text, cursor, position }: FaultContext): number | null {
  const match = BARE_AMPERSAND.exec(text.slice(cursor, position))
  return match ? cursor + match.index : null
}

const UNFINISHED: readonly (readonly [string, string])[] = [
  ['<!--', 'a comment is not closed'],
  ['<![CDATA[', 'a CDATA section is not closed'],
  ['<!DOCTYPE', 'a DOCTYPE is not accepted'],
  ['<?', 'a processing instruction is not closed'],
  ['</', 'a closing tag is not finished'],
  ['<', 'a tag is not finished'],
]

/** Describes an early end of the text by the last construct that was not finished. */
function faultAtEnd(context: FaultContext): Fault {
  const { text, open } = context
  const start = tokenStart(context)
  const unfinished = UNFINISHED.find(([opening]) => text.startsWith(opening, start))
  if (unfinished && !open?.inTag) return fatal(unfinished[1], start)
  const reference = badReference({ ...context, position: text.length })
  if (reference !== null) return fatal(WORDS.get('empty entity name.')?.message ?? '', reference)
  if (!open) return fatal('the document has no root element', start)
  const ending = open.inTag ? 'is not finished' : 'is never closed'
  return fatal(`the tag <${shorten(open.name)}> ${ending}`, open.start)
}
