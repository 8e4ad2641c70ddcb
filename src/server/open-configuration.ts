import { join, resolve } from 'node:path'
import type { SecretBox } from '../document/secrets/secret-box.ts'
import { GitService } from '../history/push/git-service.ts'
import type { BootContext } from './boot-context.ts'
import { CommitNumbers } from '../index/commit-numbers.ts'
import { ChangesFile } from '../index/changes-file.ts'
import { ConfigServices } from '../configuration/config-services.ts'
import { builtFile } from '../lib/built-file.ts'
import { PlainSecretAlarm } from '../configuration/read/plain-secret-alarm.ts'
import { EntityIndex } from '../index/entity-index.ts'
import { LineOriginsFile } from '../index/line-origins-file.ts'
import { LineOriginsIndex } from '../index/line-origins-index.ts'
import { ChangedTextFile } from '../index/changed-text-file.ts'
import { TextIndex } from '../index/text-index.ts'
import { VERSION } from './version.ts'

export interface OpenedConfiguration {
  readonly config: ConfigServices
  /** Null where there is no git program. */
  readonly git: GitService | null
  /** What revisions changed, by the things that they changed. */
  readonly entities: EntityIndex
  /** Which revisions added or removed a text. */
  readonly texts: TextIndex
  /** Which revisions wrote the lines of a document. */
  readonly origins: LineOriginsIndex
  readonly secretAlarm: PlainSecretAlarm
  readonly repository: string
  readonly fileName: string
}

/** The repository, the configuration in force, and what is known of its changes. */
export async function openConfiguration(
  { settings, environment, shutdown, places: { stateDir }, cluster }: BootContext,
  box: SecretBox,
): Promise<OpenedConfiguration> {
  const repository = resolve(settings['config-repo'])
  const fileName = settings['config-file']
  const pushCheck = pushCheckOf(repository, fileName)
  const places = { repository, fileName, pushCheck, pollInterval: settings['poll-interval'] }
  const config = shutdown.own(
    'close-engines',
    await ConfigServices.open({
      ...places,
      ...environment,
      objectFormat: settings['object-format'],
      revisionLog: cluster?.log ?? null,
      archives: {
        files: settings.archive.map((file) => resolve(file)),
        folder: join(stateDir, 'archives'),
      },
      box,
      version: VERSION,
    }),
  )
  const { history, summary } = config
  const { log } = environment
  const limit = settings['max-body']
  const git = await GitService.open({ ...places, ...environment, history, report: log, limit })
  const file = new ChangesFile(join(stateDir, 'revision-changes'))
  const secretAlarm = new PlainSecretAlarm({ history, readable: config.readable })
  const examine = secretAlarm.examine
  const commits = new CommitNumbers()
  const entities = shutdown.own(
    'stop-background-work',
    new EntityIndex({ history, summary, file, examine, log, commits }),
  )
  const texts = shutdown.own(
    'stop-background-work',
    new TextIndex({
      history,
      script: config.script,
      findRead: (digest) => config.cache.findReadable(digest),
      file: new ChangedTextFile(join(stateDir, 'revision-texts')),
      log,
      commits,
    }),
  )
  const origins = shutdown.own(
    'stop-background-work',
    new LineOriginsIndex({
      history,
      script: config.script,
      file: new LineOriginsFile(join(stateDir, 'revision-origins')),
      log,
    }),
  )
  return { config, git, entities, texts, origins, secretAlarm, repository, fileName }
}

/** The command that git runs for every push into the repository. */
function pushCheckOf(repository: string, fileName: string): string[] {
  const places = ['--config-repo', repository, '--config-file', fileName]
  return [process.execPath, builtFile('main.js'), 'check-push', ...places]
}
