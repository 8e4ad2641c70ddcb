import { describe, expect, it } from 'vitest'
import { element } from '../../../support/documents/a-configuration.ts'
import { messagesOf } from './messages-of.ts'

function server(attributes: Record<string, string>) {
  return messagesOf({ server: element('server', attributes) })
}

describe('the server', () => {
  it.each([
    [{ artifactsdir: '/var/artifacts' }],
    [{ artifactsdir: 'a/b' }],
    [{ purgeStart: '10', purgeUpto: '20' }],
    [{ purgeStart: '10', purgeUpto: '10' }],
    [{ jobTimeout: '0' }],
    [{ jobTimeout: ' 1.5 ' }],
    [{ jobTimeout: 'NaN' }],
    [{ commandRepositoryLocation: 'a/b' }],
  ])('may have %j', (attributes) => {
    expect(server(attributes)).toEqual([])
  })

  it.each([
    [{ artifactsdir: '' }, 'the artifacts folder is empty'],
    [{ artifactsdir: '.' }, 'the artifacts folder "." is the working folder of the server'],
    [{ artifactsdir: 'a/..' }, 'the artifacts folder "a/.." is the working folder of the server'],
    [{ purgeStart: '10' }, 'purgeStart is 10 but there is no purgeUpto'],
    [{ purgeUpto: '10' }, 'purgeUpto is 10 but there is no purgeStart'],
    [{ purgeStart: '0', purgeUpto: '10' }, 'purgeUpto is 10 but there is no purgeStart'],
    [{ purgeStart: '20', purgeUpto: '10' }, 'purgeStart 20 is more than purgeUpto 10'],
    [{ jobTimeout: '-1' }, 'the job timeout is negative: -1'],
    [{ jobTimeout: 'INF' }, 'the job timeout is not a finite number'],
    [{ commandRepositoryLocation: ' ' }, 'the location of the command repository is blank'],
  ])('may not have %j', (attributes, message) => {
    expect(server(attributes)).toEqual([message])
  })

  it.each(['/a', '\\a', '~/a', 'c:a', '.', '..', '../a', 'a/..', 'a/../..'])(
    'may not keep commands in %s',
    (location) => {
      expect(server({ commandRepositoryLocation: location })).toHaveLength(1)
    },
  )

  it('may not reach mail at a port beyond all numbers', () => {
    const mail = { hostname: 'm', tls: 'false', from: 'a@b', admin: 'a@b' }
    const withPort = (port: string) =>
      messagesOf({ server: element('server', {}, [element('mailhost', { ...mail, port })]) })

    expect(withPort('-25')).toEqual([])
    expect(withPort('99999999999')).toEqual(['the mail port 99999999999 is out of range'])
  })
})
