import type { CurrentConfiguration } from '../configuration/current/current-configuration.ts'
import { hashSecret, isSecretOf } from './secrets.ts'

/** Whether a key makes approval unnecessary; `unused` when no such key is configured. */
export type KeyVerdict = 'right' | 'wrong' | 'unused'

/** Checks keys against the server's setting and the key of the configuration. */
export function autoRegisterKeys(setting: string | null, configuration: CurrentConfiguration) {
  return (given: string): KeyVerdict => {
    const { server } = configuration.read().configuration
    const used = [setting ?? '', server?.agentAutoRegisterKey ?? ''].filter((key) => key !== '')
    if (used.length === 0) return 'unused'
    return used.some((key) => isSecretOf(hashSecret(key), given)) ? 'right' : 'wrong'
  }
}
