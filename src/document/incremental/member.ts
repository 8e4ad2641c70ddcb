import type { MemberFacts } from '../model/member-text.ts'
import { ModelNode } from '../model/model-node.ts'
import { plainSecrets } from '../secrets/plain-secrets.ts'
import { LineIndex } from '../text/line-index.ts'
import { checkMember, type Edition } from '../structure/structure.ts'
import { Findings } from '../structure/findings.ts'
import type { ElementNumbers } from './element-numbers.ts'
import type { ListName } from './find-members.ts'
import { MemberElement } from './member-element.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

/** The members of one list, and how their model is built. */
export interface MemberKind<Model> {
  readonly list: ListName
  /** Null where the values of an element do not have the form of a model. */
  readonly build: (node: ModelNode) => Model | null
  /** The part of its model that is kept. */
  readonly keep: (model: Model, read: ReadPart) => Model
}

/** A member as it was read. */
export interface ReadPart extends Pick<MemberFacts, 'parts' | 'hasPlainSecrets'> {
  readonly text: string
  /** The number in documents of the first element in it. */
  readonly first: number
  /** Without the insides of its jobs where the facts are known. */
  readonly element: XmlElement
  readonly edition: Edition
  readonly known: MemberFacts | null
}

/** The context on which the text of a member depends. */
export interface MemberContext {
  readonly edition: Edition
  readonly numbers: ElementNumbers
}

/** The same with the facts about a pipeline that is known to be valid; null for any other member. */
export interface KnownContext extends MemberContext {
  readonly known: MemberFacts | null
}

/** A member of a list that is without fault in itself. */
export class Member<Model> {
  readonly element: MemberElement
  readonly edition: Edition
  readonly hasPlainSecrets: boolean
  /** The same wherever the member is in a document. */
  readonly model: Model

  private constructor(
    model: Model,
    {
      element,
      edition,
      hasPlainSecrets,
    }: Pick<Member<Model>, 'element' | 'edition' | 'hasPlainSecrets'>,
  ) {
    this.element = element
    this.edition = edition
    this.hasPlainSecrets = hasPlainSecrets
    this.model = model
  }

  /** Null where anything is wrong with the text. */
  static read<Model>(
    text: string,
    kind: MemberKind<Model>,
    { edition, numbers }: MemberContext,
  ): Member<Model> | null {
    const element = MemberElement.read(text, numbers)
    if (!element || !isSound(text, element, { ...kind, edition })) return null
    const hasPlainSecrets = plainSecrets(element).length > 0
    return Member.#of(element, kind, { edition, hasPlainSecrets, known: null })
  }

  /** Reads one that is known to be valid; null where only a reading of all of it can tell what is in it. */
  static readKnown<Model>(
    text: string,
    kind: MemberKind<Model>,
    { edition, numbers, known }: MemberContext & { readonly known: MemberFacts },
  ): Member<Model> | null {
    const element = MemberElement.readHead(text, known.parts, numbers)
    const { hasPlainSecrets } = known
    return element && Member.#of(element, kind, { edition, hasPlainSecrets, known })
  }

  static #of<Model>(
    element: MemberElement,
    kind: MemberKind<Model>,
    read: Pick<ReadPart, 'edition' | 'hasPlainSecrets' | 'known'>,
  ): Member<Model> | null {
    const { text, first, parts } = element
    const model = kind.build(new ModelNode(element, first))
    const kept = model && kind.keep(model, { text, first, parts, element, ...read })
    element.forgetChildren()
    return kept && new Member(kept, { element, ...read })
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
