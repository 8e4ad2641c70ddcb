import { ServiceClient } from '../../client/service-client.ts'
import { SettingsError } from '../../settings/settings-error.ts'
import { readGivenFile } from '../given-file.ts'

/** The settings by which a command finds its server and says who it is. */
interface ServerSettings {
  readonly server: string
  readonly 'token-file': string | null
  readonly user: string | null
  readonly 'password-file': string | null
}

/** Milliseconds after which somebody at a terminal is told that the server has not answered yet. */
const QUIET_TIMEOUT_MS = 1_000

/**
 * The client of a server.
 *
 * @throws {SettingsError} without exactly one way to log in.
 */
export async function connect(settings: ServerSettings): Promise<ServiceClient> {
  const { server } = settings
  return new ServiceClient({ server, authorization: await authorizationIn(settings), send })
}

async function authorizationIn(settings: ServerSettings): Promise<string> {
  const { 'token-file': tokenFile, user, 'password-file': passwordFile } = settings
  if (tokenFile !== null && user === null && passwordFile === null)
    return `Bearer ${await secretIn('token-file', tokenFile)}`
  if (tokenFile === null && user !== null && passwordFile !== null) {
    const password = await secretIn('password-file', passwordFile)
    return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  }
  throw new SettingsError('give --token-file, or --user and --password-file')
}

/** The first line of a file. */
async function secretIn(flag: string, file: string): Promise<string> {
  const text = (await readGivenFile(file, `--${flag}`)).toString('utf8')
  const [line = ''] = text.split(/\r?\n/, 1)
  if (line === '') throw new SettingsError(`--${flag} "${file}" is empty`)
  return line
}

/** On a terminal, says that a server takes long to answer, and takes that back when it has. */
const send: typeof fetch = async (...call) => {
  const { stderr } = process
  let isTold = false
  const notice = () => {
    isTold = stderr.write('Waiting for the server...') || true
  }
  const timer = stderr.isTTY ? setTimeout(notice, QUIET_TIMEOUT_MS) : undefined
  try {
    return await fetch(...call)
  } finally {
    clearTimeout(timer)
    if (isTold) stderr.write('\r\u001B[K')
  }
}
