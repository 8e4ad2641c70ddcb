import { CommitSha } from '../../core/revision.ts'
import { protocolsFor, settingsFor } from '../../core/git-settings.ts'
import { SourceFailed } from '../../sources/modification.ts'
import { secretsOf, addressOf } from '../../sources/source-place.ts'
import type { Tools } from '../../sources/tools.ts'

/**
 * The error for a mirror that cannot be moved forward: its branch and ours have diverged. An
 * operator has to decide.
 */
export class MirrorDiverged extends Error {
  override readonly name = 'MirrorDiverged'
}

const REJECTED = /\[rejected\].*\((?:fetch first|non-fast-forward)\)/s

/** The refusal of a repository that cannot take a history that begins after the archived part. */
const INCOMPLETE = /shallow update not allowed/
const OWN = 'It has commits that are not in the history'
const REMEDY =
  'bring them back with "cairn archive --restore", and archive them again when the mirror has all'
const LACKING = `It lacks revisions that are in an archive: ${REMEDY}`
/** Git here knows nothing of commits in archives. */
const OWN_OR_ARCHIVED = `It has commits that are not in the history, or ends with revisions that are in an archive: then ${REMEDY}`

/** Settings by which neither the repository nor the user's configuration extends a push. */
const PUSH_SETTINGS = [
  'advice.pushUpdateRejected=false',
  'push.followTags=false',
  'push.gpgSign=false',
  'push.recurseSubmodules=no',
]

const ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C.UTF-8',
}

/** Another repository that gets a copy of the branch. Every failure is a `SourceFailed`, without credentials. */
export class MirrorRemote {
  /** The address without credentials. */
  readonly url: string
  readonly #tools: Tools
  readonly #call: Parameters<Tools['run']>[0]

  /** @throws {SourceFailed} when git must not be given this URL. */
  constructor(url: string, { tools, repository }: { tools: Tools; repository: string }) {
    const address = addressOf('git', url)
    this.url = address.url
    this.#tools = tools
    this.#call = {
      command: 'git',
      address: address.url,
      args: [],
      cwd: repository,
      environment: {
        ...ENVIRONMENT,
        ...settingsFor(address),
        GIT_ALLOW_PROTOCOL: protocolsFor(address.url),
      },
      secrets: secretsOf(address, address.username !== null),
    }
  }

  /** The commit of the mirror's branch; null when it has none. */
  async readTip(branch: string): Promise<CommitSha | null> {
    const lines = (await this.#git('ls-remote', '--quiet', '--', this.url, branch)).split('\n')
    const line = lines.map((each) => each.split('\t')).find(([, name]) => name === branch)
    return line === undefined ? null : CommitSha.parse(line[0])
  }

  /**
   * Moves the branch of the mirror forward to a commit.
   *
   * @param isWhole Whether no older commits are in archives.
   * @throws {MirrorDiverged} when that would take commits away, or the mirror lacks what is in archives.
   */
  async push(commit: CommitSha, branch: string, isWhole: boolean): Promise<void> {
    const settings = PUSH_SETTINGS.flatMap((setting) => ['-c', setting])
    try {
      await this.#git(...settings, 'push', '--no-force', '--', this.url, `${commit}:${branch}`)
    } catch (error) {
      if (!(error instanceof SourceFailed)) throw error
      if (INCOMPLETE.test(error.message)) throw new MirrorDiverged(LACKING, { cause: error })
      if (!REJECTED.test(error.message)) throw error
      throw new MirrorDiverged(isWhole ? OWN : OWN_OR_ARCHIVED, { cause: error })
    }
  }

  #git(...args: readonly string[]): Promise<string> {
    return this.#tools.run({ ...this.#call, args, isLong: args.includes('push') })
  }
}
