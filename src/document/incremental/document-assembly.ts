import type { Agent, Configuration, Pipeline, Template } from '../model/model.ts'
import { type FoundMember, type ReadMember, readMember } from './member-finder.ts'
import type { Skeleton, Placeholder } from './skeleton.ts'
import type { Member } from './member.ts'
import type { MemberStores } from './member-stores.ts'

/** Builds a document of its skeleton and its members, which are added one by one in their order. */
export class DocumentAssembly {
  /** In the order of the document. */
  readonly members: ReadMember[] = []
  readonly #skeleton: Skeleton
  readonly #stores: MemberStores
  readonly #pipelines = new Map<number, Pipeline[]>()
  readonly #templates: Template[] = []
  readonly #agents: Agent[] = []
  /** Elements, attributes, texts and comments so far. */
  parts: number
  hasPlainSecrets: boolean

  constructor(skeleton: Skeleton, stores: MemberStores) {
    this.#skeleton = skeleton
    this.#stores = stores
    this.parts = skeleton.parts
    this.hasPlainSecrets = skeleton.hasPlainSecrets
  }

  /** Adds a member; false where it is not valid. */
  add(found: FoundMember, { list, at }: Placeholder): boolean {
    const { text } = found
    const context = { edition: this.#skeleton.edition, at }
    const { pipelines, templates, agents } = this.#stores
    switch (list) {
      case 'pipelines':
        return this.#addMember(pipelines.read(text, context), found, (member) => {
          const group = this.#pipelines.get(at[0])
          const pipeline = member.modelAt(at)
          if (group) group.push(pipeline)
          else this.#pipelines.set(at[0], [pipeline])
        })
      case 'templates':
        return this.#addMember(templates.read(text, context), found, (member) =>
          this.#templates.push(member.modelAt(at)),
        )
      case 'agents':
        return this.#addMember(agents.read(text, context), found, (member) =>
          this.#agents.push(member.modelAt(at)),
        )
    }
  }

  /** The whole model, once every member has been added. */
  configuration(): Configuration {
    const { configuration } = this.#skeleton
    const groups = configuration.groups.map((group) => {
      const pipelines = this.#pipelines.get(group.at[0] ?? -1)
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
