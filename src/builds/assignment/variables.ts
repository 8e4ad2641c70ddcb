import type { RunVariable } from '../engine/documents.ts'
import type { Variable } from '../../document/model/model.ts'
import { AssignmentRefusal } from './refusal.ts'
import { openSecret, type Secrets } from './secrets.ts'

const INSTANCE = /-runInstance-(\d+)$/

/**
 * The variables of the configuration and of the run, decrypted, in the order in which they are set.
 * A run overrides variables that the job has, on any level; it adds none.
 */
export function assignVariables(
  of: {
    /** The outermost level first. */
    readonly configured: readonly (readonly Variable[])[]
    readonly run: readonly RunVariable[]
  },
  secrets: Secrets,
) {
  const configured = of.configured.flat()
  const names = new Set(configured.map(({ name }) => name))
  return [
    ...configured.map((variable) => configuredVariable(variable, secrets)),
    ...of.run
      .filter(({ name }) => names.has(name))
      .map((variable) => runVariable(variable, secrets)),
  ]
}

/** The variables that differ between the instances of one job. */
export function instanceVariables(jobName: string, count: number | null) {
  const index = INSTANCE.exec(jobName)?.[1]
  if (index === undefined || count === null) return []
  return [plain('GO_JOB_RUN_INDEX', index), plain('GO_JOB_RUN_COUNT', `${count}`)]
}

export function plain(name: string, value: string) {
  return { name, value, secure: false }
}

function configuredVariable({ name, secure, value, encryptedValue }: Variable, secrets: Secrets) {
  const sealable = { plain: value, sealed: encryptedValue }
  const opened = openSecret(secrets, sealable, `The variable ${name}`)
  return { name, value: opened ?? '', secure: secure || encryptedValue !== null }
}

function runVariable({ name, value, secure }: RunVariable, secrets: Secrets) {
  if (!secure) return plain(name, value)
  const opened = secrets.open(value)
  if (opened !== null) return { name, value: opened, secure }
  throw new AssignmentRefusal(`The variable ${name} of the run cannot be decrypted`)
}
