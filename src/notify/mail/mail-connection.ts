import type { NodemailerError } from 'nodemailer/lib/errors'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { describeConnectionCode } from '../../core/faults.ts'
import { abortedAfter } from '../../lib/aborted-after.ts'
import { oneLine } from '../../history/revision/message.ts'

/** The mail server of the configuration, and the log-in there. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** Whether nothing may be sent without TLS. */
  readonly tls: boolean
  readonly logIn: { readonly user: string; readonly pass: string } | null
  /** Certificates of the authorities that are trusted for it; null for those of Node. */
  readonly ca: string | null
}

/** A message that is ready to be sent to one address. */
export interface ReadyMail {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly date: Date
  readonly messageId: string
  /** The beginning of the thread. */
  readonly inReplyTo: string
  readonly headers: Readonly<Record<string, string>>
}

/** The mail server did not take a message. The text says why, without the password. */
export class MailFailure extends Error {
  /** Whether it was about the address, so that the next message may be taken. */
  readonly isOfAddress: boolean

  constructor(message: string, isOfAddress: boolean, options?: ErrorOptions) {
    super(message, options)
    this.isOfAddress = isOfAddress
  }
}

/** The time for each answer of the server, and for a whole message, in milliseconds. */
const ANSWER_TIMEOUT_MS = 10_000
const MESSAGE_TIMEOUT_MS = 60_000
const MAX_RESPONSE = 200
/** The answer of a server that ends every connection. */
const CLOSING = 421
/** The server talks in plain text: it begins TLS when it is asked to. */
const IS_PLAIN = /wrong version number|packet length too long/i

/** Sends mail by a mail server. Servers end a connection after some messages: another one is opened then. */
export class MailConnection implements Disposable {
  readonly #server: MailServer
  readonly #signal: AbortSignal
  #session: SmtpSession | null = null

  constructor(server: MailServer, signal: AbortSignal) {
    this.#server = server
    this.#signal = signal
  }

  /** @throws {MailFailure} */
  async send(mail: ReadyMail): Promise<void> {
    const session = this.#session
    if (session === null) return this.#sendAnew(mail)
    try {
      await session.send(mail)
    } catch (error) {
      if (error instanceof MailFailure && error.isOfAddress) throw error
      session[Symbol.dispose]()
      await this.#sendAnew(mail)
    }
  }

  [Symbol.dispose](): void {
    this.#session?.[Symbol.dispose]()
  }

  async #sendAnew(mail: ReadyMail): Promise<void> {
    this.#session = null
    this.#session = await connect(this.#server, this.#signal)
    await this.#session.send(mail)
  }
}

/**
 * Connects and logs in. With `tls`, TLS begins at once, or, where the server talks first, by STARTTLS.
 *
 * @throws {MailFailure}
 */
async function connect(server: MailServer, signal: AbortSignal): Promise<SmtpSession> {
  if (!server.tls) return open(server, { secure: false }, signal)
  try {
    return await open(server, { secure: true }, signal)
  } catch (error) {
    if (!(error instanceof MailFailure) || !IS_PLAIN.test(String(error.cause))) throw error
    return open(server, { secure: false, requireTLS: true }, signal)
  }
}

async function open(
  { host, port, tls, logIn, ca }: MailServer,
  begin: { readonly secure: boolean; readonly requireTLS?: boolean },
  signal: AbortSignal,
): Promise<SmtpSession> {
  // Without the word of the operator, TLS that nobody vouches for is still better than none.
  const trust = { rejectUnauthorized: tls, ...(ca === null ? {} : { ca }) }
  // Loaded with the first mail: a start would take 20 ms longer.
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  const connection = new Connection({
    ...begin,
    host,
    port,
    tls: trust,
    connectionTimeout: ANSWER_TIMEOUT_MS,
    greetingTimeout: ANSWER_TIMEOUT_MS,
    dnsTimeout: ANSWER_TIMEOUT_MS,
    socketTimeout: ANSWER_TIMEOUT_MS,
  })
  const opened = new SmtpSession(connection, signal)
  try {
    await opened.step((done) => connection.connect(done))
    if (logIn !== null) {
      const credentials = { user: logIn.user, pass: logIn.pass }
      await opened.step((done) => connection.login({ ...credentials, credentials }, done))
    }
    return opened
  } catch (error) {
    opened[Symbol.dispose]()
    throw error
  }
}

type Done = (error: unknown) => void

class SmtpSession implements Disposable {
  readonly #connection: SMTPConnection
  readonly #signal: AbortSignal

  constructor(connection: SMTPConnection, signal: AbortSignal) {
    this.#connection = connection
    this.#signal = signal
    // An error between two exchanges is one of the next.
    connection.on('error', () => {})
  }

  async send({ to, inReplyTo, ...mail }: ReadyMail): Promise<void> {
    const address = { name: '', address: to }
    const threaded = { ...mail, to: address, inReplyTo, references: inReplyTo }
    const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
    const composed = new MailComposer(threaded).compile()
    const envelope = { ...composed.getEnvelope(), to: [to] }
    const message = await composed.build()
    try {
      await this.step((done) => this.#connection.send(envelope, message, done))
    } catch (error) {
      // A refused message is still begun. One that was taken is not, and no more is asked about it.
      if (error instanceof MailFailure && error.isOfAddress) await this.#reset()
      throw error
    }
  }

  async #reset(): Promise<void> {
    await this.step((done) => this.#connection.reset(done)).catch(() => {})
  }

  /** One exchange with the server. It ends with the connection, with the signal, and after its time. */
  async step(begin: (done: Done) => void): Promise<void> {
    const connection = this.#connection
    const end = abortedAfter(MESSAGE_TIMEOUT_MS, this.#signal)
    try {
      await new Promise<void>((resolve, reject) => {
        const settle: Done = (error) => {
          connection.off('error', settle).off('end', close)
          end.removeEventListener('abort', giveUp)
          if (error) reject(error)
          else resolve()
        }
        const close = () => settle(codedError('ECONNECTION'))
        const giveUp = () => settle(codedError('ETIMEDOUT'))
        connection.on('error', settle).on('end', close)
        end.addEventListener('abort', giveUp)
        if (end.aborted) giveUp()
        else begin(settle)
      })
    } catch (error) {
      throw failureOf(error)
    }
  }

  [Symbol.dispose](): void {
    this.#connection.close()
  }
}

function failureOf(error: unknown): MailFailure {
  const { code, originalCode, command, response, responseCode }: NodemailerError =
    error instanceof Error ? error : new Error(String(error))
  const isOfAddress =
    responseCode !== undefined &&
    responseCode !== CLOSING &&
    (command === 'RCPT TO' || command === 'DATA')
  const answer = oneLine(response ?? '').slice(0, MAX_RESPONSE)
  const text =
    response === undefined
      ? reasonOf(code, originalCode)
      : code === 'EAUTH'
        ? `it refuses the log-in: ${answer}`
        : `it answered ${answer}`
  return new MailFailure(text, isOfAddress, { cause: error })
}

/** An error with a code as the library's own have one. */
function codedError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

/** By the codes alone, because messages may contain what was sent. */
function reasonOf(code: string | undefined, original: string | undefined): string {
  if (code === 'ETIMEDOUT' || code === undefined) return 'it did not answer in time'
  if (code === 'EAUTH' || code === 'ENOAUTH') return 'it takes no log-in'
  if (code === 'ETLS') return 'TLS could not begin'
  return `it could not be reached: ${describeConnectionCode(original ?? code)}`
}
