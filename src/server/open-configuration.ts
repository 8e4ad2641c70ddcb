import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { SecretBox } from '../document/secrets/secret-box.ts'
import { GitService } from '../history/push/git-service.ts'
import type { BootContext } from './boot-context.ts'
import type { Recovery } from '../configuration/gate/recovery.ts'
import { ConfigServices } from '../configuration/config-services.ts'
import { builtFile, identifyProgram } from '../lib/built-file.ts'
import { HistoryIndex } from '../index/history-index.ts'
import type { MaintenanceMode } from '../configuration/maintenance-mode.ts'
import { PlainSecretAlarm } from '../configuration/read/plain-secret-alarm.ts'
import { VERSION } from './version.ts'

export interface OpenedConfiguration {
  readonly config: ConfigServices
  /** Null where there is no git program. */
  readonly git: GitService | null
  /** The index of all data derived from the revisions. */
  readonly index: HistoryIndex
  readonly secretAlarm: PlainSecretAlarm
  readonly repository: string
  readonly fileName: string
  readonly programPath: string | undefined
}

/** The repository, the configuration in force, and what is known of its changes. */
export async function openConfiguration(
  { settings, environment, shutdown, places: { stateDir }, cluster }: BootContext,
  {
    box,
    maintenance,
    recovery,
  }: {
    readonly box: SecretBox
    readonly maintenance: MaintenanceMode
    readonly recovery: Recovery | null
  },
): Promise<OpenedConfiguration> {
  const repository = resolve(settings['config-repo'])
  const fileName = settings['config-file']
  const pushCheck = pushCheckOf(repository, fileName)
  const program = identifyProgram()
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
      assertSavesAllowed: () => maintenance.assertSavesAllowed(),
      recovery,
      version: VERSION,
      kept: program === null ? null : { file: join(stateDir, FACTS_FILE), program },
    }),
  )
  const { history, summary } = config
  shutdown.own('release-waiters', { [Symbol.dispose]: () => history.hurry() })
  const { log } = environment
  const limit = settings['max-body']
  const git = await GitService.open({ ...places, ...environment, history, report: log, limit })
  const secretAlarm = new PlainSecretAlarm({ history, readable: config.readable })
  await removeFormer(stateDir)
  const index = shutdown.own(
    'stop-background-work',
    new HistoryIndex({
      history,
      summary,
      script: config.script,
      findRead: (digest) => config.cache.findReadable(digest)?.bytes ?? null,
      examine: secretAlarm.examine,
      file: join(stateDir, INDEX_FILE),
      log,
    }),
  )
  const { programPath } = environment
  return { config, git, index, secretAlarm, repository, fileName, programPath }
}

/** The file of the data derived from the history, in the state folder. */
export const INDEX_FILE = 'history-index.sqlite'
/** The file of what is known of the document in force, in the state folder. */
const FACTS_FILE = 'configuration-facts'
/** The files of earlier versions from which nothing is taken over. */
const FORMER = ['revision-changes', 'revision-texts', 'revision-origins']

async function removeFormer(stateDir: string): Promise<void> {
  for (const name of FORMER) await rm(join(stateDir, name), { force: true })
}

/** The command that git runs for every push into the repository. */
function pushCheckOf(repository: string, fileName: string): string[] {
  // A name may begin with a hyphen.
  const places = [`--config-repo=${repository}`, `--config-file=${fileName}`]
  return [process.execPath, builtFile('main.js'), 'check-push', ...places]
}
