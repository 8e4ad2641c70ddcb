import { basename, relative } from 'node:path'
import { reasonOf } from '../../core/errors.ts'
import { describeSystemFault } from '../../core/faults.ts'
import { isInside } from './sandbox-path.ts'

/** The reason of a failure for the console of a job, with paths as they are below its working folder. */
export function reasonForConsole(folder: string, error: unknown): string {
  const shown = (path: string) =>
    isInside(folder, path) ? relative(folder, path) || '.' : basename(path)
  const reason = describeSystemFault(error, { machine: 'the agent', shown }) ?? reasonOf(error)
  return reason.replaceAll(`${folder}/`, '')
}
