import { ModelNode } from '../model/model-node.ts'
import { plainSecrets } from '../secrets/plain-secrets.ts'
import { LineIndex } from '../text/line-index.ts'
import { checkMember, type Edition } from '../structure/structure.ts'
import { Findings } from '../structure/findings.ts'
import type { ElementNumbers } from './element-numbers.ts'
import type { ListName } from './find-members.ts'
import { MemberElement } from './member-element.ts'

/** The members of one list, and how their model is built. */
export interface MemberKind<Model> {
  readonly list: ListName
  /** Null where the values of an element do not have the form of a model. */
  readonly build: (node: ModelNode) => Model | null
  /** The part of its model that is kept. */
  readonly keep: (model: Model, element: MemberElement, edition: Edition) => Model
}

/** The context on which the text of a member depends. */
export interface MemberContext {
  readonly edition: Edition
  readonly numbers: ElementNumbers
}

/** A member of a list that is without fault in itself. */
export class Member<Model> {
  readonly element: MemberElement
  readonly edition: Edition
  readonly hasPlainSecrets: boolean
  /** The same wherever the member is in a document. */
  readonly model: Model

  private constructor(element: MemberElement, model: Model, { edition }: MemberContext) {
    this.element = element
    this.edition = edition
    this.hasPlainSecrets = plainSecrets(element).length > 0
    this.model = model
  }

  /** Null where anything is wrong with the text. */
  static read<Model>(
    text: string,
    kind: MemberKind<Model>,
    context: MemberContext,
  ): Member<Model> | null {
    const element = MemberElement.read(text, context.numbers)
    if (!element || !isSound(text, element, { ...kind, ...context })) return null
    const model = kind.build(new ModelNode(element, element.first))
    const kept = model && kind.keep(model, element, context.edition)
    const member = kept && new Member(element, kept, context)
    element.forgetChildren()
    return member
  }
}

function isSound(
  text: string,
  element: MemberElement,
  { list, edition }: { list: ListName; edition: Edition },
): boolean {
  const findings = new Findings({ source: text, lines: new LineIndex(text) })
  checkMember(element, { list, edition, findings })
  return findings.problems().length === 0
}
