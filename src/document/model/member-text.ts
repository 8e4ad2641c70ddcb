/** Knowledge of a pipeline by its text alone, wherever it stands in a document. */
export class MemberText {
  readonly text: string
  /** Whether it has anything in which a param may be replaced. */
  readonly mentionsParams: boolean
  /** Whether the jobs have nothing that nobody here acts on, whatever the keys and the agents are. */
  hasPlainJobs = false
  /** Whether what it refers to is all in itself. */
  isSelfContained = false
  /** For which schema version (exact or later) it is known to be valid in itself, or null. */
  isLater: boolean | null = null

  constructor(text: string) {
    this.text = text
    this.mentionsParams = text.includes('#')
  }
}

const MEMBER_TEXT = Symbol('member text')

/** Finds what is known of a part of the model by its text; null for one that was not read by itself. */
export function memberTextOf(part: object): MemberText | null {
  const known: unknown = Reflect.get(part, MEMBER_TEXT)
  return known instanceof MemberText ? known : null
}

/** Notes the text that a part of the model was read from. Copies of the part are without it. */
export function noteMemberText(part: object, text: MemberText): void {
  Reflect.defineProperty(part, MEMBER_TEXT, { value: text })
}
