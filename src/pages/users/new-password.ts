import { malformed } from '../../http/parameters.ts'
import { type Form, textField } from '../../http/request-body.ts'

/**
 * The new password of a form, which has it twice; null where both fields are empty.
 *
 * @throws {ServiceError} `malformed-request` where they differ.
 */
export function newPasswordIn(form: Form): string | null {
  const [password, again] = ['password', 'again'].map((field) => textField(form, field) ?? '')
  if (password !== again) throw malformed('The two passwords differ', 'again')
  return password === undefined || password === '' ? null : password
}
