import { Agent } from '../model/environments.ts'
import { build } from '../model/fields.ts'
import { Pipeline, Template } from '../model/pipelines.ts'
import { type Job, type Stage, JOB_LIST } from '../model/stages.ts'
import { type KnownContext, Member, type MemberKind, type ReadPart } from './member.ts'
import { XML_LIMITS } from '../xml/xml-limits.ts'
import { MemberText, noteMemberText, type MemberFacts } from '../model/member-text.ts'
import { judgeAlone } from '../rules/rules.ts'
import { hasPlainJobs, isPlainBesideJobs } from '../unsupported/unsupported-in-pipeline.ts'
import { childElements } from '../xml/xml-elements.ts'
import type { XmlElement, Span } from '../xml/xml-tree.ts'
import { readTree } from '../xml/xml-reader.ts'
import { ModelNode } from '../model/model-node.ts'

/** The members of all long lists that were read lately. */
export class MemberStores {
  readonly pipelines = new MemberStore<Pipeline>({
    list: 'pipelines',
    build: (node) => build(Pipeline, node).data ?? null,
    keep: keptPipeline,
  })
  readonly templates = new MemberStore<Template>({
    list: 'templates',
    build: (node) => build(Template, node).data ?? null,
    keep: (template) => template,
  })
  readonly agents = new MemberStore<Agent>({
    list: 'agents',
    build: (node) => build(Agent, node).data ?? null,
    keep: (agent) => agent,
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
  read(text: string, context: KnownContext): Member<Model> | null {
    const cached = this.#cache.find(text)
    if (cached?.edition === context.edition) return cached
    const { known } = context
    const member =
      (known && Member.readKnown(text, this.#kind, { ...context, known })) ??
      Member.read(text, this.#kind, context)
    if (member) this.#cache.keep(text, member)
    return member
  }
}

/** The size that the cache may always have, in characters of the keys. */
const SLACK = Math.min(1_000_000, XML_LIMITS.maxBytes / 4)

interface Cached<Value> {
  readonly value: Value
  /** The last round that used it. */
  round: number
}

/**
 * Caches recently used values by text. After a round that has used more than a fixed size, the next one
 * drops what that has not: the values of a large document take much of the memory.
 */
class GenerationalCache<Value> {
  readonly #cached = new Map<string, Cached<Value>>()
  #round = 0
  /** Characters of the keys that this round has used. */
  #used = 0

  beginRound(): void {
    if (this.#used <= SLACK) return
    for (const [key, { round }] of this.#cached) {
      if (round !== this.#round) this.#cached.delete(key)
    }
    this.#round += 1
    this.#used = 0
  }

  find(key: string): Value | null {
    const cached = this.#cached.get(key)
    if (cached === undefined) return null
    if (cached.round !== this.#round) this.#used += key.length
    cached.round = this.#round
    return cached.value
  }

  keep(key: string, value: Value): void {
    this.#used += key.length
    this.#cached.set(key, { value, round: this.#round })
  }
}

/** The part of a pipeline that is kept once it was read: its jobs are a text, with all that can be said of them. */
function keptPipeline(pipeline: Pipeline, read: ReadPart): Pipeline {
  const facts = read.known ?? factsOf(pipeline, read)
  const text = new MemberText(read.text, facts, read.edition === 'later')
  const written = childElements(read.element).filter(({ name }) => name === 'stage')
  const stages = pipeline.stages.map((stage, n) => withoutJobs(stage, written[n], read))
  const kept = { ...pipeline, stages }
  noteMemberText(kept, text)
  return kept
}

/** The facts about a pipeline, while all of it is there. */
function factsOf(pipeline: Pipeline, { parts, hasPlainSecrets, edition }: ReadPart): MemberFacts {
  const verdict = judgeAlone(pipeline, edition === 'later')
  const hasJobOnAllAgents = pipeline.stages.some(({ jobs }) => jobs.some(isOnAllAgents))
  return {
    ...verdict,
    parts,
    hasPlainSecrets,
    isPlainBesideJobs: isPlainBesideJobs(pipeline),
    hasPlainJobs: hasPlainJobs(pipeline),
    hasJobOnAllAgents,
  }
}

function isOnAllAgents({ runOnAllAgents }: Job): boolean {
  return runOnAllAgents
}

function withoutJobs(
  stage: Stage,
  written: XmlElement | undefined,
  { text, first }: Pick<ReadPart, 'text' | 'first'>,
): Stage {
  const jobs = written && childElements(written).find(({ name }) => name === 'jobs')
  return jobs ? withUnreadJobs(stage, { text, span: jobs.span, first: first + jobs.number }) : stage
}

/** Where the jobs of a stage are written. */
interface JobsPlace {
  /** A text that has their element in it, which is known to be valid. */
  readonly text: string
  readonly span: Span
  /** The number of the element in documents. */
  readonly first: number
}

/** The jobs of a stage, which are read when they are asked for, and kept as long as somebody has them. */
class UnreadJobs {
  readonly #place: JobsPlace
  #jobs: WeakRef<readonly Job[]> | null = null

  constructor(place: JobsPlace) {
    this.#place = place
  }

  read(): readonly Job[] {
    const known = this.#jobs?.deref()
    if (known) return known
    const { text, span, first } = this.#place
    const tree = readTree(text.slice(span.start, span.end), XML_LIMITS)
    const jobs = tree && build(JOB_LIST, new ModelNode(tree.root, first))
    if (!jobs?.success) throw new Error('the jobs of a stage that was valid are not')
    this.#jobs = new WeakRef(jobs.data)
    return jobs.data
  }
}

const UNREAD = Symbol('unread jobs')

/** A property as the other ones of a stage are, so that every copy of it has the jobs themselves. */
const JOBS: PropertyDescriptor = {
  enumerable: true,
  configurable: true,
  get(this: Stage): readonly Job[] {
    return unreadJobsOf(this)?.read() ?? []
  },
}

/**
 * A copy of a stage that has its jobs as text: they are most of a large configuration, and few of them are ever
 * asked for.
 */
function withUnreadJobs<Of extends object>(stage: Of, place: JobsPlace): Of {
  const copy: Of = Object.create(Object.prototype)
  for (const name of Object.keys(stage)) {
    if (name !== 'jobs') Reflect.set(copy, name, Reflect.get(stage, name))
  }
  Reflect.defineProperty(copy, 'jobs', JOBS)
  Reflect.defineProperty(copy, UNREAD, { value: new UnreadJobs(place) })
  return copy
}

function unreadJobsOf(part: object): UnreadJobs | null {
  const unread: unknown = Reflect.get(part, UNREAD)
  return unread instanceof UnreadJobs ? unread : null
}
