import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SecretBox } from '../document/secrets/secret-box.ts'
import { GitService } from '../history/push/git-service.ts'
import type { BootContext } from './boot-context.ts'
import { ChangesFile } from '../configuration/changes/changes-file.ts'
import { ConfigServices } from '../configuration/config-services.ts'
import { PlainSecretAlarm } from '../configuration/read/plain-secret-alarm.ts'
import { EntityIndex } from '../configuration/changes/entity-index.ts'
import { VERSION } from './version.ts'

/** The repository, the configuration in force, and what is known of its changes. */
export async function openConfig(opening: BootContext, box: SecretBox) {
  const { settings, environment: surroundings, resources, stateDir } = opening
  const repository = resolve(settings['config-repo'])
  const fileName = settings['config-file']
  const pushCheck = pushCheckOf(repository, fileName)
  const places = { repository, fileName, pushCheck, pollInterval: settings['poll-interval'] }
  const config = resources.own(
    await ConfigServices.open({ ...places, ...surroundings, box, version: VERSION }),
  )
  const { history, summary } = config
  const { log } = surroundings
  const limit = settings['max-body']
  const git = await GitService.open({ ...places, ...surroundings, history, report: log, limit })
  const file = new ChangesFile(join(stateDir, 'revision-changes'))
  const secretAlarm = new PlainSecretAlarm({ history, readable: config.readable })
  const examine = secretAlarm.examine
  const entities = resources.own(new EntityIndex({ history, summary, file, examine, log }))
  return { config, git, entities, secretAlarm, repository, fileName }
}

/** The command that git runs for every push into the repository. */
function pushCheckOf(repository: string, fileName: string): string[] {
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
  const places = ['--config-repo', repository, '--config-file', fileName]
  return [process.execPath, main, 'check-push', ...places]
}
