import type { ComponentProps } from 'react';

interface ButtonProps extends ComponentProps<'button'> {
  tone?: 'plain' | 'accent' | 'danger' | 'danger-word' | 'quiet';
  size?: 'small' | 'normal' | 'large';
}

/** A button that does not submit by default. */
export function Button({
  tone = 'plain',
  size = 'normal',
  type = 'button',
  className = '',
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      data-tone={tone}
      data-size={size}
      className={`button ${className}`}
    />
  );
}
