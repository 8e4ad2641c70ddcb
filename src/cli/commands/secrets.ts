import { join, resolve } from 'node:path'
import { SecretBox } from '../../document/secrets/secret-box.ts'
import { plural } from '../../lib/plural.ts'
import { addSecretKey } from '../../security/secret-keys.ts'
import { ConfigServices } from '../../configuration/config-services.ts'
import { assertKeysThere, assertServiceThere } from '../../operations/lost-files.ts'
import { keysFileOf } from '../../operations/service-places.ts'
import { programPath } from '../../settings/environment.ts'
import { readSettings, separateWords } from '../../settings/read-settings.ts'
import { SETTINGS } from '../../settings/settings.ts'
import { openProcessLock } from '../../storage/process-lock.ts'
import { VERSION } from '../../server/version.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { say, writeLog } from '../output.ts'
import { wrongUsage } from '../usage.ts'
import { rotateSecrets } from '../../document/secrets/seal-secrets.ts'
import type { ConfigEditor } from '../../configuration/save/config-editor.ts'

/** The author of a rotation. */
const ROTATION = 'Upgrade'

/**
 * `secrets rotate` creates a new key and encrypts the secrets of the current configuration with it.
 */
export async function secrets(args: readonly string[]): Promise<number> {
  const { words, flags } = separateWords(SETTINGS.secrets, args)
  if (words.join(' ') !== 'rotate') throw wrongUsage('secrets')
  const settings = readSettings(SETTINGS.secrets, flags)
  await actAsOwner(settings['state-dir'], settings['config-repo'])
  const stateDir = resolve(settings['state-dir'])
  const keysFile = keysFileOf(settings)
  const repository = resolve(settings['config-repo'])
  const places = { repository, fileName: settings['config-file'], programPath: programPath() }
  await assertKeysThere({ ...places, keysFile })
  await assertServiceThere({ ...places, stateDir, keysFile })
  await using _ = await openProcessLock(join(stateDir, 'lock'), writeLog)
  const keys = await addSecretKey(keysFile)
  const box = new SecretBox(keys)
  await using config = await ConfigServices.open({
    ...places,
    pollInterval: 60_000,
    clock: Date.now,
    log: writeLog,
    version: VERSION,
    box,
    pushCheck: null,
  })
  const { rotated, foreign } = await rotateCurrentSecrets(config.editor, box)
  say(
    `${rotated} ${plural(rotated, 'secret is', 'secrets are')} sealed by the new key; ${foreign} ${plural(foreign, 'is not ours and stays as it is', 'are not ours and stay as they are')}`,
  )
  return 0
}

/** Seals the secrets of the current configuration again with the newest key, as one commit. */
async function rotateCurrentSecrets(
  editor: ConfigEditor,
  box: SecretBox,
): Promise<{ rotated: number; foreign: number }> {
  const counts = { rotated: 0, foreign: 0 }
  await editor.edit({ door: 'sealing', author: ROTATION }, (document) => {
    const { text, rotated, foreign } = rotateSecrets(document, box)
    Object.assign(counts, { rotated, foreign })
    return text
  })
  return counts
}
