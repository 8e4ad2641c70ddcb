import { ServiceError, unavailable } from '../../core/errors.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import type { RawObjectReader } from '../../git/objects/raw-object.ts'
import { SHORT_TIMEOUT_MS, tryGit } from '../../git/run-git.ts'
import { readTags, stampOfTags, type Tag, TAGS } from './tag-refs.ts'
import { isInTheWay } from '../repository/update-staging-index.ts'
import type { WriterQueue } from '../../storage/writer-queue.ts'
import { addToGroup } from '../../lib/grouping.ts'

export interface RevisionTagsOptions {
  readonly gitDir: string
  readonly reader: RawObjectReader
  /** Null where there is no git program. */
  readonly git: GitExecutable | null
  readonly queue: WriterQueue
  /** Whether other servers have the history too: tags would be on one of them. */
  readonly isShared: boolean
}

/** A folder that changed so recently may change again without another time. */
const SETTLED_MS = 50
/**
 * The time for which a look that found nothing new is trusted, in milliseconds. It costs as much as the rest of a
 * cached list, and git takes longer to make a tag.
 */
const SEEN_MS = 1

/** The tags of the repository, also those that git makes and removes while the service runs. */
export class RevisionTags {
  readonly #options: RevisionTagsOptions
  #stamp: string | null = null
  #byName: ReadonlyMap<string, Tag> = new Map()
  #byCommit: ReadonlyMap<CommitSha, readonly string[]> = new Map()
  #version = 0
  /** The number of looks that have begun, and the number of the latest one whose answer is taken. */
  #begun = 0
  #taken = 0
  /** When a look last found nothing new, by the time of this process. */
  #seenAt = -Infinity

  constructor(options: RevisionTagsOptions) {
    this.#options = options
  }

  /** Counts the times that the tags were found to be others. */
  get version(): number {
    return this.#version
  }

  /** Reads the tags again if they may be others; null where they are not, so that nobody waits. */
  refresh(): Promise<void> | null {
    const now = performance.now()
    if (now - this.#seenAt < SEEN_MS) return null
    const began = Date.now()
    const stamp = stampOfTags(this.#options.gitDir)
    if (stamp !== this.#stamp) return this.#read(stamp, began)
    this.#seenAt = now
    return null
  }

  /** The commit of a tag as it was read last; null where there is none of that name. */
  find(name: string): CommitSha | null {
    return this.#byName.get(name)?.commit ?? null
  }

  /** The names of the tags of a commit, in their order. */
  namesOf(commit: CommitSha): readonly string[] {
    return this.#byCommit.get(commit) ?? []
  }

  /**
   * Tags a commit.
   *
   * @throws {ServiceError} `name-in-use`; `unavailable` where tags cannot be made.
   */
  async add(name: string, commit: CommitSha): Promise<void> {
    await this.#options.queue.run(async () => {
      await this.refresh()
      const other = [...this.#byName.keys()].find((known) => isInTheWay(known, name))
      if (other !== undefined) {
        const message = `There is a tag ${other} already`
        throw new ServiceError('name-in-use', message, { name: other })
      }
      await this.#updateRef(name, [commit, '0'.repeat(commit.length)])
    })
  }

  /**
   * Removes a tag of a commit. False where the commit has no tag of that name.
   *
   * @throws {ServiceError} `unavailable` where tags cannot be removed.
   */
  remove(name: string, commit: CommitSha): Promise<boolean> {
    return this.#options.queue.run(async () => {
      await this.refresh()
      const tag = this.#byName.get(name)
      if (tag?.commit !== commit) return false
      await this.#updateRef(name, ['-d', tag.object])
      return true
    })
  }

  async #read(stamp: string, began: number): Promise<void> {
    const { gitDir, reader } = this.#options
    const look = (this.#begun += 1)
    const tags = await readTags(gitDir, reader)
    // A look that began earlier and took longer may know less.
    if (look < this.#taken) return
    this.#taken = look
    this.#stamp = isSettled(stamp, began) ? stamp : null
    if (isSame(tags, this.#byName)) return
    this.#byName = new Map(tags.map((tag) => [tag.name, tag]))
    this.#byCommit = namesByCommit(tags)
    this.#version += 1
  }

  async #updateRef(name: string, [to, from]: readonly [string, string]): Promise<void> {
    const { git, gitDir, isShared } = this.#options
    if (isShared)
      throw unavailable('Tags stay in one repository, and several servers share this history')
    if (git === null) throw unavailable('The service finds no git program, which tags need')
    const ref = `${TAGS}${name}`
    const args = to === '-d' ? ['-d', ref, from] : [ref, to, from]
    const given = { timeoutMs: SHORT_TIMEOUT_MS }
    const asked = ['update-ref', '--no-deref', ...args]
    const { isDone, errors, end } = await tryGit(git, gitDir, asked, given)
    this.#stamp = null
    this.#seenAt = -Infinity
    await this.refresh()
    if (!isDone) throw unavailable(`Git could not change the tag ${name}`, new Error(errors || end))
  }
}

function isSettled(stamp: string, began: number): boolean {
  const times = [...stamp.matchAll(/:(\d+(?:\.\d+)?)(?= |$)/g)].map(([, time]) => Number(time))
  return Math.max(0, ...times) < began - SETTLED_MS
}

function isSame(tags: readonly Tag[], known: ReadonlyMap<string, Tag>): boolean {
  return (
    tags.length === known.size &&
    tags.every(({ name, object }) => known.get(name)?.object === object)
  )
}

function namesByCommit(tags: readonly Tag[]): ReadonlyMap<CommitSha, readonly string[]> {
  const names = new Map<CommitSha, string[]>()
  for (const { name, commit } of tags) addToGroup(names, commit, name)
  for (const list of names.values()) list.sort()
  return names
}
