import { PASSWORD_MIN_CHARS } from '@/server/contract/console/console-terms';
import { Field, type FieldProps } from './field';

/** Where a password is chosen. */
export function NewPasswordField(field: FieldProps) {
  return (
    <Field
      {...field}
      hint={`at least ${PASSWORD_MIN_CHARS} characters`}
      type="password"
      autoComplete="new-password"
      required
      minLength={PASSWORD_MIN_CHARS}
      maxLength={256}
    />
  );
}
