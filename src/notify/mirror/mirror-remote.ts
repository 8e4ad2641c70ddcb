import { CommitSha } from '../../core/revision.ts'
import { protocolsFor, settingsFor } from '../../core/git-settings.ts'
import { SourceFailed } from '../../sources/modification.ts'
import { secretsOf, addressOf } from '../../sources/source-place.ts'
import type { Tools } from '../../sources/tools.ts'

/** The mirror has commits that are not in the history. Only an operator can decide about them. */
export class MirrorDiverged extends Error {
  override readonly name = 'MirrorDiverged'
}

const REJECTED = /\[rejected\].*\((?:fetch first|non-fast-forward)\)/s

/** Neither the repository nor the user's settings may extend a push. */
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
   * @throws {MirrorDiverged} when that would take commits away.
   */
  async push(commit: CommitSha, branch: string): Promise<void> {
    const settings = PUSH_SETTINGS.flatMap((setting) => ['-c', setting])
    try {
      await this.#git(...settings, 'push', '--no-force', '--', this.url, `${commit}:${branch}`)
    } catch (error) {
      if (!(error instanceof SourceFailed) || !REJECTED.test(error.message)) throw error
      throw new MirrorDiverged('It has commits that are not in the history', { cause: error })
    }
  }

  #git(...args: readonly string[]): Promise<string> {
    return this.#tools.run({ ...this.#call, args, isLong: args.includes('push') })
  }
}
