import { join } from 'node:path'
import { unavailable } from '../../core/errors.ts'
import { readBoundary, readShallow } from '../../git/boundary.ts'
import type { GitStore } from '../../git/git-store.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import { readObjectFormat } from '../../git/object-format.ts'
import type { ObjectReader } from '../../git/objects/object-reader.ts'
import { hasPromisedPacks, missingPromised } from '../../git/promised-objects.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { findSetting } from './repository-settings.ts'

const REF_STORAGE = 'files'

/**
 * Asserts that git keeps the repository in a form that this program can read and write, with all of
 * its history in it.
 *
 * @param git Null where there is no git program.
 * @throws {ServiceError} `unavailable`, with what the operator can do.
 */
export async function assertServable(store: GitStore, git: GitExecutable | null): Promise<void> {
  await readObjectFormat(store)
  await assertReadableRefs(store)
  await assertNothingBorrowed(store)
  await assertNothingPromised(store, git)
}

/** A branch is moved under git's own lock of its file, which no other storage of refs has. */
async function assertReadableRefs(store: GitStore): Promise<void> {
  const storage = await findSetting(store, 'extensions.refStorage')
  if (storage === null || storage.toLowerCase() === REF_STORAGE) return
  const what = `${store.gitDir} keeps its refs in the format ${storage}, and only ${REF_STORAGE} can be served`
  throw unavailable(`${what}: "git refs migrate --ref-format=${REF_STORAGE}" changes that`)
}

/**
 * Another repository that shares its objects with this one without knowing it, and may remove them.
 */
async function assertNothingBorrowed({ fs, gitDir }: GitStore): Promise<void> {
  const file = join('objects', 'info', 'alternates')
  const bytes = await orNullWhenAbsent(fs.readFile(join(gitDir, file)))
  if (bytes === null || Buffer.from(bytes).toString('latin1').trim() === '') return
  const what = `${gitDir} borrows objects of another repository, by ${file}`
  throw unavailable(`${what}: run "git repack -a -d" in it, and remove that file`)
}

/**
 * Git fetches missing objects of a partial clone on demand, and reports no fault. Before the first
 * start the whole history is checked for them; later `cairn verify` does.
 */
async function assertNothingPromised(
  { fs, gitDir }: GitStore,
  git: GitExecutable | null,
): Promise<void> {
  const wasServed = await orNullWhenAbsent(fs.stat(join(gitDir, 'cairn', 'revisions')))
  if (wasServed !== null || !(await hasPromisedPacks(gitDir))) return
  if (git === null) {
    throw unavailable(`${gitDir} was a partial clone: install git, which finds what it lacks`)
  }
  const [first, ...others] = await missingPromised(git, gitDir)
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  const what = `${gitDir} lacks the object ${first}${more}, and is a partial clone`
  throw unavailable(`${what}: clone it again, without --filter`)
}

/**
 * Asserts that the parents of all commits in `.git/shallow` exist, or are in an archive. All readers
 * ignore that file, because obeying it would silently hide older revisions.
 *
 * @throws {ServiceError} `unavailable` when some are not, as in a clone with `--depth`.
 */
export async function assertNotShallow(
  store: GitStore,
  reader: Pick<ObjectReader, 'findCommit'>,
): Promise<void> {
  const [named, archived] = [await readShallow(store), await readBoundary(store)]
  for (const name of named.filter((each) => !archived.includes(each))) {
    const commit = await reader.findCommit(name)
    for (const parent of commit?.parents ?? []) {
      if ((await reader.findCommit(parent)) !== null) continue
      const what = `${store.gitDir} is shallow: it has the commit ${name} without what came before`
      throw unavailable(`${what}; "git fetch --unshallow" brings that`)
    }
  }
}
