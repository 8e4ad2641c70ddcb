import type { RunVariable } from '../../../builds/documents.ts'
import type { Variable } from '../../../config/model.ts'
import { AssignmentRefusal } from './refusal.ts'
import { openSecret, type Secrets } from './secrets.ts'

const INSTANCE = /-runInstance-(\d+)$/

/** The variables of the configuration and of the run, opened, in the order in which they are set. */
export function assignVariables(
  of: {
    readonly configured: readonly (readonly Variable[])[]
    readonly run: readonly RunVariable[]
  },
  secrets: Secrets,
) {
  const [outer = [], ...inner] = of.configured.map((level) =>
    level.map((variable) => configuredVariable(variable, secrets)),
  )
  return [...outer, ...of.run.map((variable) => runVariable(variable, secrets)), ...inner.flat()]
}

/** What tells the instances of one job apart. */
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
