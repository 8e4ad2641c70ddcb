import type { Agent, Configuration, Pipeline, Template } from '../model/model.ts'
import type { MemberPlace } from './find-members.ts'
import type { Skeleton, Placeholder } from './skeleton.ts'
import type { Member } from './member.ts'
import type { MemberElement } from './member-element.ts'
import type { MemberStores } from './member-stores.ts'

/** The members of one document, taken in one after the other, until all are there. */
export class DocumentAssembly {
  /** In the order of the document. */
  readonly members: { readonly element: MemberElement; readonly place: MemberPlace }[] = []
  readonly #frame: Skeleton
  readonly #stores: MemberStores
  readonly #pipelines = new Map<number, Pipeline[]>()
  readonly #templates: Template[] = []
  readonly #agents: Agent[] = []
  /** Elements, attributes, texts and comments so far. */
  parts: number
  hasPlainSecrets: boolean

  constructor(frame: Skeleton, stores: MemberStores) {
    this.#frame = frame
    this.#stores = stores
    this.parts = frame.parts
    this.hasPlainSecrets = frame.hasPlainSecrets
  }

  /** Takes a member in; false where something is wrong with it. */
  take(text: string, place: MemberPlace, { list, at }: Placeholder): boolean {
    const context = { exact: this.#frame.exact, at }
    const { pipelines, templates, agents } = this.#stores
    switch (list) {
      case 'pipelines':
        return this.#add(pipelines.read(text, context), place, (member) => {
          const group = this.#pipelines.get(at[0])
          const pipeline = member.modelAt(at)
          if (group) group.push(pipeline)
          else this.#pipelines.set(at[0], [pipeline])
        })
      case 'templates':
        return this.#add(templates.read(text, context), place, (member) =>
          this.#templates.push(member.modelAt(at)),
        )
      case 'agents':
        return this.#add(agents.read(text, context), place, (member) =>
          this.#agents.push(member.modelAt(at)),
        )
    }
  }

  /** The whole model, once every member is taken in. */
  configuration(): Configuration {
    const { configuration } = this.#frame
    const groups = configuration.groups.map((group) => {
      const pipelines = this.#pipelines.get(group.at[0] ?? -1)
      return pipelines ? { ...group, pipelines } : group
    })
    return { ...configuration, groups, templates: this.#templates, agents: this.#agents }
  }

  #add<Model>(
    member: Member<Model> | null,
    place: MemberPlace,
    add: (member: Member<Model>) => void,
  ): boolean {
    if (!member) return false
    this.members.push({ element: member.element, place })
    this.parts += member.element.parts
    this.hasPlainSecrets ||= member.hasPlainSecrets
    add(member)
    return true
  }
}
