import type { Agent, Configuration, Pipeline, Template } from '../model/model.ts'
import { type FoundMember, memberText, type ReadMember, readMember } from './member-finder.ts'
import type { TextSource } from '../text/text-source.ts'
import type { Skeleton, Placeholder } from './skeleton.ts'
import type { MemberFacts } from '../model/member-text.ts'
import type { Member } from './member.ts'
import type { ElementNumbers } from './element-numbers.ts'
import type { MemberStores } from './member-stores.ts'
import { addToGroup } from '../../lib/grouping.ts'

interface MemberSource {
  readonly source: TextSource
  readonly stores: MemberStores
  readonly numbers: ElementNumbers
  /** The facts about the pipelines, in their order, where they are known. */
  readonly facts: readonly MemberFacts[]
}

/** Builds a document of its skeleton and its members, which are added one by one in their order. */
export class DocumentAssembly {
  /** In the order of the document. */
  readonly members: ReadMember[] = []
  readonly #skeleton: Skeleton
  readonly #source: TextSource
  readonly #stores: MemberStores
  readonly #numbers: ElementNumbers
  readonly #facts: Iterator<MemberFacts>
  readonly #pipelines = new Map<number, Pipeline[]>()
  readonly #templates: Template[] = []
  readonly #agents: Agent[] = []
  /** Elements, attributes, texts and comments so far. */
  parts: number
  hasPlainSecrets: boolean

  constructor(skeleton: Skeleton, { source, stores, numbers, facts }: MemberSource) {
    this.#skeleton = skeleton
    this.#source = source
    this.#stores = stores
    this.#numbers = numbers
    this.#facts = facts.values()
    this.parts = skeleton.parts
    this.hasPlainSecrets = skeleton.hasPlainSecrets
  }

  /** Adds a member; false where it is not valid. */
  add(found: FoundMember, { list, within }: Placeholder): boolean {
    const text = memberText(found, this.#source)
    const context = { edition: this.#skeleton.edition, numbers: this.#numbers, known: null }
    const { pipelines, templates, agents } = this.#stores
    switch (list) {
      case 'pipelines':
        const known = this.#facts.next().value ?? null
        return this.#addMember(pipelines.read(text, { ...context, known }), found, (member) =>
          addToGroup(this.#pipelines, within, member.model),
        )
      case 'templates':
        return this.#addMember(templates.read(text, context), found, (member) =>
          this.#templates.push(member.model),
        )
      case 'agents':
        return this.#addMember(agents.read(text, context), found, (member) =>
          this.#agents.push(member.model),
        )
    }
  }

  /** The whole model, once every member has been added. */
  configuration(): Configuration {
    const { configuration } = this.#skeleton
    const groups = configuration.groups.map((group) => {
      const pipelines = this.#pipelines.get(group.at)
      return pipelines ? { ...group, pipelines } : group
    })
    return { ...configuration, groups, templates: this.#templates, agents: this.#agents }
  }

  #addMember<Model>(
    member: Member<Model> | null,
    found: FoundMember,
    addModel: (member: Member<Model>) => void,
  ): boolean {
    if (!member) return false
    this.members.push(readMember(found, member.element))
    this.parts += member.element.parts
    this.hasPlainSecrets ||= member.hasPlainSecrets
    addModel(member)
    return true
  }
}
