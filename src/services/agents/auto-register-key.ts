import type { CurrentConfiguration } from '../current-configuration.ts'
import { hashSecret, isSecretOf } from './secrets.ts'

/** Whether a key makes approval unnecessary: the server's setting, or the one in the configuration. */
export function autoRegisterKeys(setting: string | null, configuration: CurrentConfiguration) {
  return (given: string): boolean => {
    const { server } = configuration.read().configuration
    const keys = [setting, server?.agentAutoRegisterKey ?? null]
    return keys.some((key) => key !== null && key !== '' && isSecretOf(hashSecret(key), given))
  }
}
