import type { RequestForm } from './request-form.ts'
import { shellWords } from '../../core/command-words.ts'

export type TaskRequest =
  | {
      readonly builder: 'ant' | 'nant' | 'rake'
      readonly buildfile: string | null
      readonly target: string | null
    }
  | { readonly builder: 'exec'; readonly command: string; readonly args: readonly string[] }

/** What the schema takes as a command. */
const COMMAND = /^\S(?:.*\S)?$/s

const BUILDERS = ['ant', 'nant', 'rake', 'exec'] as const

/** Null when the builder is not known; its problem is in the form. */
export function readTaskRequest(form: RequestForm): TaskRequest | null {
  const builder = form.choice('builder', BUILDERS)
  if (builder === null) return null
  if (builder === 'exec') return readExec(form)
  form.exclude(['command', 'arguments'], `does not belong to builder ${builder}`)
  return { builder, buildfile: form.optional('buildfile'), target: form.optional('target') }
}

function readExec(form: RequestForm): TaskRequest {
  form.exclude(['buildfile', 'target'], 'is not allowed for builder exec')
  const words = splitParameter(form, 'command', form.required('command', ' for builder exec'))
  const [command, ...args] = words
  if (command !== undefined && !COMMAND.test(command)) {
    form.refuse('command', `names "${command}", which is empty or begins or ends with a space`)
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
