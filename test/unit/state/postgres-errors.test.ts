import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { type DatabaseErrorKind, databaseErrorKind } from '../../../src/state/postgres-errors.ts'

/** An error as the database sends it. */
function sent(code: string, severity = 'ERROR'): Error {
  return Object.assign(new postgres.PostgresError('no'), { code, severity })
}

/** Every class of SQLSTATE, with the codes that differ in kind from their class. */
const SENT: Readonly<Record<string, DatabaseErrorKind>> = {
  '03000': 'fault',
  '08006': 'outage',
  '09000': 'fault',
  '0A000': 'fault',
  '0B000': 'fault',
  '0F000': 'fault',
  '0L000': 'refusal',
  '0P000': 'refusal',
  '0Z000': 'fault',
  '20000': 'fault',
  '21000': 'fault',
  '22023': 'fault',
  '23505': 'fault',
  '24000': 'fault',
  '25001': 'fault',
  '25006': 'outage',
  '25P02': 'fault',
  '25P03': 'outage',
  '25P04': 'outage',
  '26000': 'fault',
  '27000': 'fault',
  '28P01': 'refusal',
  '2B000': 'fault',
  '2D000': 'fault',
  '2F000': 'fault',
  '34000': 'fault',
  '38000': 'fault',
  '39000': 'fault',
  '3B000': 'fault',
  '3D000': 'refusal',
  '3F000': 'refusal',
  '40001': 'outage',
  '40P01': 'outage',
  '42501': 'refusal',
  '42601': 'fault',
  '42703': 'fault',
  '42P01': 'refusal',
  '44000': 'fault',
  '53100': 'outage',
  '53300': 'outage',
  '54000': 'fault',
  '55000': 'outage',
  '55P03': 'outage',
  '57014': 'outage',
  '57P01': 'outage',
  '57P03': 'outage',
  '57P04': 'refusal',
  '58030': 'outage',
  '72000': 'outage',
  F0000: 'outage',
  P0001: 'refusal',
  XX000: 'outage',
}

/** Errors of the client and the system, by their codes. */
const OWN: Readonly<Record<string, DatabaseErrorKind | null>> = {
  CONNECTION_CLOSED: 'outage',
  CONNECTION_ENDED: 'outage',
  CONNECT_TIMEOUT: 'outage',
  ECONNREFUSED: 'outage',
  ECONNRESET: 'outage',
  EHOSTUNREACH: 'outage',
  ENETUNREACH: 'outage',
  ENOTFOUND: 'outage',
  ENOENT: 'outage',
  EAI_AGAIN: 'outage',
  EPIPE: 'outage',
  ETIMEDOUT: 'outage',
  EACCES: 'refusal',
  CERT_HAS_EXPIRED: 'refusal',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'refusal',
  ERR_TLS_CERT_ALTNAME_INVALID: 'refusal',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'refusal',
  SASL_SIGNATURE_MISMATCH: 'refusal',
  AUTH_TYPE_NOT_IMPLEMENTED: 'refusal',
  UNDEFINED_VALUE: null,
  MAX_PARAMETERS_EXCEEDED: null,
}

describe('an error of a database', () => {
  it.each(Object.entries(SENT))('with the SQLSTATE %s is of the kind %s', (code, kind) => {
    expect(databaseErrorKind(sent(code))).toBe(kind)
  })

  it.each(Object.entries(OWN))('with the code %s is of the kind %s', (code, kind) => {
    expect(databaseErrorKind(Object.assign(new Error('no'), { code }))).toBe(kind)
  })

  it('is never a fault of this program where a connection is refused', () => {
    expect(databaseErrorKind(sent('42704', 'FATAL'))).toBe('refusal')
  })
})
