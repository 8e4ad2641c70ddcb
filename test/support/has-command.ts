import { spawnSync } from 'node:child_process'

/** Whether a command is installed here. */
export function hasCommand(name: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name]).status === 0
}
