// Sends wrong log-ins, or registrations of unknown agents, at a steady rate, each from another
// address behind a proxy, and prints the number of answers.
import { Agent, request } from 'node:http'
import { registrationOf } from './crowd.ts'

const [url = '', aSecond = '1000', kind = 'logins', sender = '0'] = process.argv.slice(2)
const INTERVAL_MS = 10
/** A client that is behind sends no more than this at once. */
const MAX_UNDER_WAY = 500

const agent = new Agent({ keepAlive: true, maxSockets: MAX_UNDER_WAY })
let sent = 0
let underWay = 0
let answered = 0

function send(): void {
  sent += 1
  underWay += 1
  const { path, body, ...call } = kind === 'registrations' ? registration() : wrongLogin()
  const address = `${10 + Number(sender)}.${sent % 200}.${sent % 7}.${sent % 251}`
  const headers = { ...call.headers, 'x-forwarded-for': address }
  request(`${url}${path}`, { agent, method: call.method, headers }, (response) => {
    response.resume().on('close', () => {
      underWay -= 1
      answered += 1
    })
  })
    .on('error', () => (underWay -= 1))
    .end(body)
}

function wrongLogin() {
  const credentials = Buffer.from(`user${sender}-${sent % 500}:wrong ${sent}`).toString('base64')
  const headers = { authorization: `Basic ${credentials}` }
  return { path: '/api/agents', method: 'GET', headers, body: '' }
}

function registration() {
  const { headers: _, ...call } = registrationOf(
    { uuid: `invented-${sender}-${sent}`, token: '' },
    null,
  )
  return { ...call, headers: { 'content-type': 'application/json' } }
}

const began = performance.now()
setInterval(() => {
  const due = ((performance.now() - began) / 1_000) * Number(aSecond)
  const room = Math.min(due - sent, MAX_UNDER_WAY - underWay)
  for (let n = 0; n < room; n += 1) send()
}, INTERVAL_MS)
process.stdout.write('begun\n')
process.on('SIGTERM', () => {
  const seconds = (performance.now() - began) / 1_000
  process.stdout.write(`answered ${Math.round(answered / seconds)}\n`, () => process.exit(0))
})
