import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'
import type { TestAuthority } from '../identities/directory-server.ts'
import { freePort } from '../programs/free-port.ts'

/** A mail as it came. */
export interface ReceivedMail {
  readonly to: readonly string[]
  readonly from: string
  readonly isSecure: boolean
  readonly user: string | undefined
  readonly headers: ReadonlyMap<string, string>
  readonly raw: string
  readonly text: string
  readonly html: string
}

export interface MailReceiverOptions {
  /** TLS from the first byte, or by STARTTLS; none in plain text. */
  readonly tls?: 'at once' | 'by STARTTLS'
  readonly authority?: TestAuthority
  /** The log-in that it asks for. */
  readonly logIn?: { readonly user: string; readonly pass: string }
}

/** A real mail server on loopback; it behaves as it is told. */
export class MailReceiver {
  readonly mails: ReceivedMail[] = []
  /** The addresses that it refuses. */
  readonly refused = new Set<string>()
  /** How many clients have come. */
  connections = 0
  /** Whether it says nothing to whom has come. */
  hangs = false
  /** How it takes a message: with an answer, with one and the end of the connection, or with none. */
  takes: 'and answers' | 'and ends' | 'in silence' = 'and answers'
  /** Runs between a message and the answer to it. */
  meanwhile: () => Promise<unknown> = async () => undefined
  readonly #options: MailReceiverOptions
  #server: SMTPServer | null = null
  #port = 0

  private constructor(options: MailReceiverOptions) {
    this.#options = options
  }

  static async open(options: MailReceiverOptions = {}): Promise<MailReceiver> {
    const receiver = new MailReceiver(options)
    await receiver.start()
    onTestFinished(() => receiver.stop())
    return receiver
  }

  get port(): number {
    return this.#port
  }

  /** Whether every client has had its answer, and is gone. */
  get isIdle(): boolean {
    return (this.#server?.connections.size ?? 0) === 0
  }

  async start(): Promise<void> {
    this.#port ||= await freePort()
    const server = new SMTPServer(this.#settings())
    server.on('error', () => {})
    const listening = server.listen(this.#port, 'localhost')
    await once(listening, 'listening')
    this.#server = server
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = null
    if (server === null) return
    for (const { _socket: socket } of server.connections) socket.destroy()
    await new Promise<void>((resolve) => server.close(resolve))
  }

  /** The mails to an address, as their texts. */
  textsTo(address: string): string[] {
    return this.mails.filter(({ to }) => to.includes(address)).map(({ text }) => text)
  }

  #end(session: string): void {
    for (const { id, _socket: socket } of this.#server?.connections ?? [])
      if (id === session) socket.end()
  }

  #settings(): SMTPServerOptions {
    const { tls, authority, logIn } = this.#options
    const files = authority && {
      key: readFileSync(authority.key),
      cert: readFileSync(authority.certificate),
    }
    const withoutTls = tls === undefined ? ['STARTTLS'] : []
    return {
      ...files,
      secure: tls === 'at once',
      disabledCommands: [...withoutTls, ...(logIn === undefined ? ['AUTH'] : [])],
      authOptional: logIn === undefined,
      closeTimeout: 1,
      onConnect: (_, answer) => {
        this.connections += 1
        if (!this.hangs) answer()
      },
      onAuth: ({ username = '', password }, _, answer) => {
        const isKnown = username === logIn?.user && password === logIn.pass
        answer(isKnown ? null : new Error('Wrong user or password'), { user: username })
      },
      onRcptTo: ({ address }, _, answer) => {
        const refusal = Object.assign(new Error('No such mailbox'), { responseCode: 550 })
        answer(this.refused.has(address) ? refusal : null)
      },
      onData: (stream, { id, envelope, secure, user }, answer) => {
        const take = async () => {
          const raw = (await buffer(stream)).toString('utf8')
          const to = envelope.rcptTo.map(({ address }) => address)
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
          const sent = {
            to,
            from,
            isSecure: secure,
            user: typeof user === 'string' ? user : undefined,
          }
          this.mails.push({ ...sent, raw, ...parsed(raw) })
          await this.meanwhile()
          if (this.takes === 'in silence') return
          answer()
          if (this.takes === 'and ends') this.#end(id)
        }
        // A client that goes in the middle of a message has sent none.
        take().catch(() => {})
      },
    }
  }
}

function parsed(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const { headers, body } = partOf(raw)
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '') ?? []
  const parts = body.split(`--${boundary}`).map((part) => partOf(part.replace(/^\r\n/, '')))
  const partLike = (type: string) =>
    decoded(parts.find((part) => part.headers.get('content-type')?.startsWith(type)))
  return { headers, text: partLike('text/plain'), html: partLike('text/html') }
}

interface MailPart {
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

function partOf(raw: string): MailPart {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { headers: new Map(headers), body: raw.slice(end + 4) }
}

function decoded(part: MailPart | undefined): string {
  if (part === undefined) return ''
  const coding = part.headers.get('content-transfer-encoding')
  if (coding === 'base64') return Buffer.from(part.body, 'base64').toString('utf8')
  if (coding !== 'quoted-printable') return part.body
  const bytes = part.body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
