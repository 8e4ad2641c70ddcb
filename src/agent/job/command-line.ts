import { join } from 'node:path'
import type { TaskCommand } from '../../wire/agent/task.ts'

/** A task that runs a process. */
export type ProcessCommand = Exclude<TaskCommand, { type: 'fetchartifact' }>

/**
 * The command and the arguments of a task. Several targets in one text become several arguments.
 */
export function commandLineOf(task: ProcessCommand): { command: string; args: string[] } {
  if (task.type === 'exec') return { command: task.command, args: [...task.args] }
  const targets = (task.target ?? '').split(/\s+/).filter((target) => target !== '')
  const file = task.buildFile === null || task.buildFile === '' ? null : task.buildFile
  if (task.type !== 'nant') {
    return { command: task.type, args: [...(file === null ? [] : ['-f', file]), ...targets] }
  }
  const command = task.nantPath === null ? 'nant' : join(task.nantPath, 'nant')
  return { command, args: [...(file === null ? [] : [`-buildfile:${file}`]), ...targets] }
}

/** Describes a task for the console. */
export function describeTask(task: TaskCommand): string {
  if (task.type === 'fetchartifact') return `fetch the artifact ${task.src}`
  const { command, args } = commandLineOf(task)
  return [command, ...args].map(quote).join(' ')
}

function quote(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
