import { shellWords } from '../../core/service/command-words.ts'
import { type NewElement, newElement } from '../edit/new-element.ts'
import { COMMAND_ELEMENTS } from '../schema/tasks.ts'
import type { RequestForm } from './request-form.ts'
import { shorten } from '../text/shown-text.ts'

export const BUILDERS = ['ant', 'nant', 'rake', 'exec'] as const
type BuildTool = Exclude<(typeof BUILDERS)[number], 'exec'>

export type TaskRequest =
  | {
      readonly builder: BuildTool
      /** The values that are given, by attribute. */
      readonly values: ReadonlyMap<string, string>
    }
  | { readonly builder: 'exec'; readonly command: string; readonly args: readonly string[] }

/** The schema's pattern of a command. */
const COMMAND = /^\S(?:.*\S)?$/s

/** Null when the builder is not known; its problem is in the form. */
export function readTaskRequest(form: RequestForm): TaskRequest | null {
  const builder = form.choice('builder', BUILDERS)
  if (builder === null) return null
  return builder === 'exec' ? readExec(form) : readBuildTool(form, builder)
}

export function taskElement(task: TaskRequest): NewElement {
  if (task.builder !== 'exec') return newElement(task.builder, Object.fromEntries(task.values))
  const args = task.args.map((arg) => newElement('arg', {}, [arg]))
  return newElement('exec', { command: task.command }, args)
}

function readBuildTool(form: RequestForm, builder: BuildTool): TaskRequest {
  form.exclude(['command', 'arguments'], `does not belong to builder ${builder}`)
  const values = new Map<string, string>()
  for (const name of COMMAND_ELEMENTS[builder].asked) {
    const value = form.optional(name)
    if (value !== null) values.set(name, value)
  }
  return { builder, values }
}

function readExec(form: RequestForm): TaskRequest {
  const foreign = new Set([
    ...COMMAND_ELEMENTS.ant.asked,
    ...COMMAND_ELEMENTS.nant.asked,
    ...COMMAND_ELEMENTS.rake.asked,
  ])
  form.exclude([...foreign], 'is not allowed for builder exec')
  const words = splitParameter(form, 'command', form.required('command', ' for builder exec'))
  const [command, ...args] = words
  if (command !== undefined && !COMMAND.test(command)) {
    form.refuse(
      'command',
      `names "${shorten(command)}", which is empty or begins or ends with a space`,
    )
  }
  const more = splitParameter(form, 'arguments', form.optional('arguments') ?? '')
  return { builder: 'exec', command: command ?? '', args: [...args, ...more] }
}

function splitParameter(form: RequestForm, name: string, line: string): readonly string[] {
  const split = shellWords(line)
  if (split.ok) return split.words
  form.refuse(name, split.message)
  return []
}
