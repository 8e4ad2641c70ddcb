import { GenerationalCache } from './generational-cache.ts'
import { Member, type MemberContext, type MemberKind } from './member.ts'

/** The members of one list that were read lately, by their exact text. */
export class MemberStore<Model> {
  readonly #kind: MemberKind<Model>
  readonly #known = new GenerationalCache<Member<Model>>()

  constructor(kind: MemberKind<Model>) {
    this.#kind = kind
  }

  /** Begins the reading of a document. */
  beginRound(): void {
    this.#known.beginRound()
  }

  /** Null where anything is wrong with the text. */
  read(text: string, context: MemberContext): Member<Model> | null {
    const known = this.#known.find(text)
    if (known?.exact === context.exact) return known
    const own = ownCopy(text)
    const member = Member.read(own, this.#kind, context)
    if (member) this.#known.keep(own, member)
    return member
  }
}

/** A text cut from a document would keep all of the document in memory. */
function ownCopy(text: string): string {
  return Buffer.from(text).toString()
}
