import { ServiceError, unavailable } from '../../core/errors.ts'
import { assertScope } from '../../core/assert-scope.ts'
import type { Principal } from '../../core/principal.ts'
import type { GitCall, GitExchange, GitService } from '../../history/push/git-service.ts'
import { isForReview } from '../../history/push/push-check.ts'
import { openRepositoryFile, type RepositoryFile } from '../../history/push/repository-file.ts'
import { type Access, assertMay } from './permission.ts'

export interface GitAccessDeps {
  readonly access: Access
  /** Null where there is no git program. */
  readonly git: GitService | null
  /** The folder of the repository. */
  readonly repository: string
}

interface GitRequest extends Omit<GitExchange, 'principal' | 'assertMayMove'> {
  /** Throws when the caller's credential, by the time that the push has come, is not good any more. */
  readonly decide: () => Promise<void>
}

/**
 * The advertisement for a git client; null without a git program, where it has to read files.
 *
 * @throws {ServiceError} `not-permitted`; `unavailable` for a push without a git program.
 */
export async function advertise(
  { access, git }: GitAccessDeps,
  principal: Principal,
  call: GitCall,
) {
  assertMayExchange(access, principal, call)
  const isForReader = access.may(principal, { action: 'administer' })
  if (git !== null) return git.advertise(call, { isForReader })
  if (call.program === 'receive-pack') throw noProgram()
  return null
}

/**
 * Answers one request of a clone, a fetch or a push, as a stream.
 *
 * @throws {ServiceError} `not-permitted`, `unavailable`.
 */
export function exchange(
  { access, git }: GitAccessDeps,
  principal: Principal,
  { decide, ...request }: GitRequest,
) {
  assertMayExchange(access, principal, request)
  if (git === null) throw noProgram()
  const assertMayMove = async (ref: string) => {
    await decide()
    if (isForReview(ref)) return
    assertScope(principal, { scope: 'admin', what: 'a push to the branch' })
    assertMay(access, principal, { action: 'administer-something' })
  }
  return git.exchange({ ...request, principal, assertMayMove })
}

/**
 * A file of the repository, for clients of the dumb HTTP protocol.
 *
 * @throws {ServiceError} `not-permitted`, `file-not-found`.
 */
export async function readRepositoryFile(
  { access, repository }: GitAccessDeps,
  principal: Principal,
  path: string,
): Promise<RepositoryFile> {
  assertMay(access, principal, { action: 'administer' })
  const file = await openRepositoryFile(repository, path)
  if (file !== null) return file
  throw new ServiceError('file-not-found', `The repository has no file ${path}`, { path })
}

/**
 * Every push passes the gate, which knows what its caller may change, or becomes a proposal of what its caller
 * may view; a clone has everything.
 */
function assertMayExchange(
  access: Access,
  principal: Principal,
  { program }: Pick<GitCall, 'program'>,
): void {
  const action = program === 'receive-pack' ? 'view-something' : 'administer'
  assertMay(access, principal, { action })
}

function noProgram(): ServiceError<'unavailable'> {
  return unavailable('The service finds no git program, which this needs')
}
