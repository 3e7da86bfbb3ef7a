package io.lockyard;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** Reads the text of an answer; empty if it is too long: then it is not read to its end. */
final class LimitedBody implements HttpResponse.BodySubscriber<Optional<String>> {
  /** Enough for a page of 1,000 locks with 200 holders each, the most that a lock can have. */
  static final int MAX_MIB = 64;

  private static final int MAX_BYTES = MAX_MIB << 20;

  private final CompletableFuture<Optional<String>> text = new CompletableFuture<>();
  private final ByteArrayOutputStream read = new ByteArrayOutputStream();
  private Flow.Subscription subscription;

  @Override
  public CompletionStage<Optional<String>> getBody() {
    return text;
  }

  @Override
  public void onSubscribe(Flow.Subscription begun) {
    subscription = begun;
    begun.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> parts) {
    for (ByteBuffer part : parts) {
      if (text.isDone()) {
        return;
      }
      if (read.size() + part.remaining() > MAX_BYTES) {
        subscription.cancel();
        text.complete(Optional.empty());
        return;
      }
      byte[] bytes = new byte[part.remaining()];
      part.get(bytes);
      read.write(bytes, 0, bytes.length);
    }
  }

  @Override
  public void onError(Throwable error) {
    text.completeExceptionally(error);
  }

  @Override
  public void onComplete() {
    text.complete(Optional.of(read.toString(StandardCharsets.UTF_8)));
  }
}
