// @module-tag long
import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { BASIC, RawConnection } from '../support/http/raw-http.ts'
import { DIGEST } from '../support/service/saved-digest.ts'
import { save } from '../support/service/saving.ts'
import { startService, type TestService } from '../support/service/service.ts'

/** Several of these are more than the system takes from a server while the client reads nothing. */
const LARGE = 1_000_000

function md5(body: string | Buffer): string {
  return createHash('md5').update(body).digest('hex')
}

/** Saves large documents that differ in all but their frame, and gives their digests. */
async function saveLarge(service: TestService, count: number): Promise<string[]> {
  const digests: string[] = []
  for (let n = 0; n < count; n += 1) {
    const filler = `<!--${String.fromCharCode(97 + n).repeat(LARGE)}-->`
    const response = await save(
      service,
      documentWith('one').replace('<pipelines', `${filler}<pipelines`),
    )
    digests.push(response.headers.get(DIGEST) ?? '')
  }
  await save(service, documentWith('newest'))
  return digests
}

function pathOf(digest: string): string {
  return `/api/admin/config/${digest}.xml`
}

/** Asks for snapshots, one behind the other on one line, and reads nothing of them. */
function askedFor(service: TestService, digests: readonly string[]): RawConnection {
  const connection = new RawConnection(service.url)
  connection.socket.pause()
  const requests = digests.map((digest, n) => [
    `GET ${pathOf(digest)} HTTP/1.1`,
    'Host: x',
    `Authorization: ${BASIC}`,
    ...(n === digests.length - 1 ? ['Connection: close'] : []),
  ])
  connection.say(requests.map((lines) => `${lines.join('\r\n')}\r\n\r\n`).join(''))
  return connection
}

/** The digests of the bodies that come. */
async function digestsHeard(connection: RawConnection): Promise<string[]> {
  connection.socket.resume()
  const digests: string[] = []
  for (let rest = await connection.heard(); rest !== '';) {
    const begin = rest.indexOf('\r\n\r\n') + 4
    const [, length] = /content-length: (\d+)/.exec(rest.slice(0, begin)) ?? []
    const end = begin + Number(length)
    digests.push(md5(Buffer.from(rest.slice(begin, end), 'latin1')))
    rest = rest.slice(end)
  }
  return digests
}

describe('large snapshots of which each is asked for once', () => {
  it('are exact, however slowly they are taken and whatever is read meanwhile', async () => {
    const service = await startService()
    const digests = await saveLarge(service, 16)
    const [slow, quick] = [digests.slice(0, 12), digests.slice(12)]
    const waiting = askedFor(service, slow)

    const read: string[] = []
    for (const digest of quick) read.push(md5(await (await service.fetch(pathOf(digest))).text()))

    expect(read).toEqual(quick)
    expect(await digestsHeard(waiting)).toEqual(slow)
  })

  it('are exact after others were not taken to their end', async () => {
    const service = await startService()
    const digests = await saveLarge(service, 6)
    for (const digest of digests.slice(0, 3)) {
      const connection = askedFor(service, [digest])
      connection.socket.resume()
      while (connection.socket.bytesRead === 0) await turn()
      connection.socket.destroy()
    }

    const answers = await Promise.all(digests.map((digest) => service.fetch(pathOf(digest))))

    const read = await Promise.all(answers.map((answer) => answer.text()))
    expect(read.map(md5)).toEqual(digests)
  })
})
