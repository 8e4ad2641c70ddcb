import { describe, expect, it } from 'vitest'
import {
  describeFault,
  describeSystemFault,
  outageOf,
  withoutPaths,
} from '../../../src/core/faults.ts'

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

describe('outageOf', () => {
  it.each([
    ['ENOSPC', 'The disk of the server is full'],
    ['EACCES', 'The server may not use a file or folder that it needs'],
    ['EROFS', 'The disk of the server is read-only'],
    ['EMFILE', 'The server has too many files open'],
    ['EAGAIN', 'The server has no processes or threads left'],
    ['ERR_WORKER_INIT_FAILED', 'The server has no processes or threads left'],
    ['ENOMEM', 'The server has no memory left'],
  ])('knows %s, also as the cause of another error', (code, told) => {
    const error = systemError(code)

    expect(outageOf(error)).toBe(told)
    expect(outageOf(new Error('It failed', { cause: error }))).toBe(told)
  })

  it('takes every other error for a bug', () => {
    expect(outageOf(systemError('ENOENT'))).toBeNull()
    expect(outageOf(new TypeError('x'))).toBeNull()
    expect(outageOf('ENOSPC')).toBeNull()
  })
})

describe('withoutPaths', () => {
  it.each([
    ['fatal: bad config line 1 in file /srv/state/x/config', 'fatal: bad config line 1 in file …'],
    ["fatal: '/srv/a b/c' is locked", "fatal: '… b/c' is locked"],
    ['could not open /etc/ssl/key: denied', 'could not open … denied'],
    [
      "unable to access 'https://example.org/a.git/'",
      "unable to access 'https://example.org/a.git/'",
    ],
    ['no such file //depot/main/x', 'no such file //depot/main/x'],
    ['Input/output error', 'Input/output error'],
  ])('shows %s as %s', (text, shown) => {
    expect(withoutPaths(text, { folder: '/srv/work' })).toBe(shown)
  })

  it('hides the folder even with blanks, and keeps the address that was asked for', () => {
    const text = "/a b/c: '/srv/mirror.git' is missing in /a b/c/objects"
    const shown = withoutPaths(text, { folder: '/a b/c', address: '/srv/mirror.git' })
    expect(shown).toBe("…: '/srv/mirror.git' is missing in …/objects")
  })
})

describe('describeFault', () => {
  it('says what a code means, also of a cause, and nothing that it was given', () => {
    const missing = systemError('ENOENT')
    expect(describeFault(missing)).toBe('a file or folder is missing')
    expect(describeFault(new Error('/a/path', { cause: missing }))).toBe(
      'a file or folder is missing',
    )
    expect(describeFault(new Error('/a/path'))).not.toContain('/a/path')
  })
})

describe('describeSystemFault', () => {
  it.each([
    ['listen', 'EADDRINUSE', { address: '::', port: 80 }, '[::]:80: another program listens there'],
    [
      'listen',
      'EACCES',
      { address: '127.0.0.1', port: 80 },
      '127.0.0.1:80: this program may not use that address',
    ],
    ['getaddrinfo', 'ENOTFOUND', { hostname: 'none' }, 'none: the name of the host is unknown'],
    ['open', 'EACCES', { path: '/a' }, '/a: the agent may not use a file or folder that it needs'],
    ['read', 'EIO', {}, 'The disk of the agent does not work'],
  ])('says of %s and %s what it is about', (syscall, code, place, said) => {
    const error = Object.assign(systemError(code), { syscall, ...place })

    expect(describeSystemFault(error, { machine: 'the agent' })).toBe(said)
  })
})
