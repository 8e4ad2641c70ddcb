/** All that the reading of a pipeline by itself has found, beside its model. */
export interface MemberFacts {
  /** Elements, attributes, texts and comments in it. */
  readonly parts: number
  readonly hasPlainSecrets: boolean
  /** Whether there is nothing in it, beside its jobs, that nobody here acts on, whatever the keys are. */
  readonly isPlainBesideJobs: boolean
  /** Whether the jobs have nothing that nobody here acts on, whatever the keys and the agents are. */
  readonly hasPlainJobs: boolean
  /** Whether one of the jobs runs on all agents. */
  readonly hasJobOnAllAgents: boolean
  /** Whether what it refers to is all in itself. */
  readonly isSelfContained: boolean
  /** Whether it is valid by the rules about a pipeline alone, for the edition of its document. */
  readonly isValid: boolean
}

/** Knowledge of a pipeline by its text alone, wherever it stands in a document. */
export class MemberText {
  readonly text: string
  readonly facts: MemberFacts
  /** Whether it has anything in which a param may be replaced. */
  readonly mentionsParams: boolean
  /** For which schema version (exact or later) it is known to be valid in itself, or null. */
  isLater: boolean | null

  constructor(text: string, facts: MemberFacts, isLater: boolean) {
    this.text = text
    this.facts = facts
    this.mentionsParams = text.includes('#')
    this.isLater = facts.isValid ? isLater : null
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
