import type { CancelTask } from '../model/model.ts'
import { isSameName } from '../../core/name-key.ts'

const PLUGIN_ID = 'script-executor'
const SCRIPT = 'script'

/**
 * The script of a task of the plugin script-executor, which runs here as the shell runs it; null for other plugins and
 * without a script. Its other properties name the shell of another platform and how it is started.
 */
export function scriptOf({
  plugin,
  properties,
}: Pick<Extract<CancelTask, { kind: 'plugin' }>, 'plugin' | 'properties'>): string | null {
  if (!isSameName(plugin.id, PLUGIN_ID)) return null
  const script = properties.find(({ key }) => isSameName(key, SCRIPT))?.value ?? ''
  return script.trim() === '' ? null : script
}
