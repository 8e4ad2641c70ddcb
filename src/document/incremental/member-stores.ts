import { Agent, readAgent } from '../model/environments.ts'
import { Pipeline, readPipeline, readTemplate, Template } from '../model/pipelines.ts'
import { GenerationalCache } from './generational-cache.ts'
import { Member, type MemberContext, type MemberKind } from './member.ts'

/** The members of all long lists that were read lately. */
export class MemberStores {
  readonly pipelines = new MemberStore<Pipeline>({
    list: 'pipelines',
    build: (node) => Pipeline.safeParse(readPipeline(node)).data ?? null,
  })
  readonly templates = new MemberStore<Template>({
    list: 'templates',
    build: (node) => Template.safeParse(readTemplate(node)).data ?? null,
  })
  readonly agents = new MemberStore<Agent>({
    list: 'agents',
    build: (node) => Agent.safeParse(readAgent(node)).data ?? null,
  })

  /** Begins the reading of a document. */
  beginRound(): void {
    for (const store of [this.pipelines, this.templates, this.agents]) store.beginRound()
  }
}

/** The members of one list that were read lately, by their exact text. */
class MemberStore<Model> {
  readonly #kind: MemberKind<Model>
  readonly #cache = new GenerationalCache<Member<Model>>()

  constructor(kind: MemberKind<Model>) {
    this.#kind = kind
  }

  /** Begins the reading of a document. */
  beginRound(): void {
    this.#cache.beginRound()
  }

  /** Null where anything is wrong with the text. */
  read(text: string, context: MemberContext): Member<Model> | null {
    const cached = this.#cache.find(text)
    if (cached?.exact === context.exact) return cached
    const own = ownCopy(text)
    const member = Member.read(own, this.#kind, context)
    if (member) this.#cache.keep(own, member)
    return member
  }
}

/** A text cut from a document would keep all of the document in memory. */
function ownCopy(text: string): string {
  return Buffer.from(text).toString()
}
