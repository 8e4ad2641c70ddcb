import { readTree } from '../xml/xml-reader.ts'
import { XML_LIMITS } from '../xml/xml-limits.ts'
import type { Span } from '../xml/xml-tree.ts'
import { build } from './fields.ts'
import { ModelNode } from './model-node.ts'
import { type Job, JOB_LIST, type Stage } from './stages.ts'

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
export function withUnreadJobs<Of extends object>(stage: Of, place: JobsPlace): Of {
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
